"""What is to be done, as plain data."""

import pytest

from navicache.generation.job import (
    DEFAULT_FPS,
    CacheSettings,
    GenerationJob,
    ModelSource,
    check_call_arguments,
)
from navicache.pocket import MEMBERS


def test_an_embedded_model_brings_its_own_speed_of_frames():
    assert ModelSource("pocket").is_embedded and ModelSource("pocket:unet").is_embedded
    assert not ModelSource("owner/pocket").is_embedded
    assert ModelSource("pocket").fps == MEMBERS["wan"].fps
    assert (ModelSource("owner/name").fps, ModelSource("owner/name").member) == (DEFAULT_FPS, None)


@pytest.mark.parametrize(
    ("caching", "said"),
    [
        (CacheSettings(mode="quick"), "mode must be one of 'fast', 'mid', 'slow'"),
        (CacheSettings("nonsense"), "nonsense"),
        (CacheSettings("static", knobs={"threshold": 0.1}), "'static' has no knob 'threshold'"),
        (CacheSettings(knobs={"threshold": -1.0}), "zero or more"),
    ],
)
def test_settings_that_no_model_could_make_right_are_refused(caching, said):
    with pytest.raises(ValueError, match=said):
        caching.check()
    CacheSettings("static", "mid", {"interval": 2}).check()


def test_each_of_several_prompts_has_a_folder_of_its_own(tmp_path):
    one = GenerationJob(ModelSource(), ("a cat",), {}, CacheSettings(), tmp_path)
    two = GenerationJob(ModelSource(), ("a cat", "A dog!"), {}, CacheSettings(), tmp_path)
    assert one.folder(0) == tmp_path
    assert [two.folder(number).name for number in (0, 1)] == ["01-a-cat", "02-a-dog"]


def test_every_text_is_looked_at():
    assert GenerationJob(ModelSource(), ("a", "b"), {"negative_prompt": "c"}, CacheSettings(), None).texts == (
        "a",
        "b",
        "c",
    )


class Pipe:
    def __call__(self, prompt, height=8, **more): ...


class Needy:
    def __call__(self, prompt, image, mask): ...


def test_calls_are_checked_against_the_pipeline():
    check_call_arguments(Pipe, {"height": 8})
    with pytest.raises(ValueError, match="Pipe takes no num_frames: leave out --frames"):
        check_call_arguments(Pipe, {"num_frames": 5})
    with pytest.raises(ValueError, match=r"Pipe takes no hight: did you mean height\?$"):
        check_call_arguments(Pipe, {"hight": 5})
    with pytest.raises(ValueError, match=r"Pipe takes no loudness: leave it out$"):
        check_call_arguments(Pipe, {"loudness": 5})
    with pytest.raises(ValueError, match=r"Needy also needs image, mask: use navicache\.enable\(pipe\) in Python"):
        check_call_arguments(Needy, {})
    with pytest.raises(ValueError, match=r"Needy also needs mask: use"):
        check_call_arguments(Needy, {"image": "a.png"})
    with pytest.raises(ValueError, match=r"Needy also needs image: give --image FILE"):
        check_call_arguments(Needy, {"mask": 1})
