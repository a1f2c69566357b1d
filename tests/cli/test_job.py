"""What is to be done, as plain data."""

from argparse import Namespace

import pytest

from navicache.cli.job import FLAGS, KNOBS, USUAL_FPS, Caching, Job, Source, check_call, read_arguments, read_caching
from navicache.pocket import MEMBERS


def test_an_embedded_model_brings_its_own_speed_of_frames():
    assert Source("pocket").pocket and Source("pocket:unet").pocket and not Source("owner/pocket").pocket
    assert Source("pocket").fps == MEMBERS["wan"].fps
    assert (Source("owner/name").fps, Source("owner/name").member) == (USUAL_FPS, None)


def test_options_that_were_left_out_are_no_knobs():
    options = Namespace(policy=None, mode="fast", threshold=None, speedup=0.0, max_error=0.1, align_steps=None, set=[])
    assert read_caching(options) == Caching(None, "fast", {"speedup": 0.0, "max_error": 0.1})


def test_a_knob_is_said_once():
    given = dict.fromkeys(KNOBS)
    sets = [("align_steps", 5), ("site", "blocks")]
    options = Namespace(policy="navicache", mode=None, **{**given, "threshold": 0.1}, set=sets)
    assert read_caching(options).knobs == {"threshold": 0.1, "align_steps": 5, "site": "blocks"}
    for twice in ({"align_steps": 3, "set": sets}, {"set": [*sets, ("site", "model")]}):
        with pytest.raises(ValueError, match=r"(align_steps|site) is given twice"):
            read_caching(Namespace(policy="navicache", mode=None, **{**given, **twice}))


def test_arguments_are_the_users_over_the_embedded_models_own():
    nothing = dict.fromkeys(FLAGS.values())
    usual = MEMBERS["wan"].call
    assert read_arguments(Namespace(**nothing), Source("pocket")) == dict(usual)
    assert read_arguments(Namespace(**nothing), Source("owner/name")) == {}
    asked = read_arguments(Namespace(**{**nothing, "steps": 3, "guidance": 0.0}), Source("pocket"))
    assert asked == {**usual, "num_inference_steps": 3, "guidance_scale": 0.0}


@pytest.mark.parametrize(
    ("caching", "said"),
    [
        (Caching(mode="quick"), "mode must be one of 'fast', 'mid', 'slow'"),
        (Caching("nonsense"), "nonsense"),
        (Caching("static", knobs={"threshold": 0.1}), "'static' has no knob 'threshold'"),
        (Caching(knobs={"threshold": -1.0}), "zero or more"),
    ],
)
def test_settings_that_no_model_could_make_right_are_refused(caching, said):
    with pytest.raises(ValueError, match=said):
        caching.check()
    Caching("static", "mid", {"interval": 2}).check()


def test_each_of_several_prompts_has_a_folder_of_its_own(tmp_path):
    one = Job(Source(), ("a cat",), {}, Caching(), tmp_path)
    two = Job(Source(), ("a cat", "A dog!"), {}, Caching(), tmp_path)
    assert one.folder(0) == tmp_path
    assert [two.folder(number).name for number in (0, 1)] == ["01-a-cat", "02-a-dog"]


def test_every_text_is_looked_at():
    assert Job(Source(), ("a", "b"), {"negative_prompt": "c"}, Caching(), None).texts == ("a", "b", "c")


class Pipe:
    def __call__(self, prompt, height=8, **more): ...


class Needy:
    def __call__(self, prompt, image, mask): ...


def test_calls_are_checked_against_the_pipeline():
    check_call(Pipe, {"height": 8})
    with pytest.raises(ValueError, match="Pipe takes no num_frames: leave out --frames"):
        check_call(Pipe, {"num_frames": 5})
    with pytest.raises(ValueError, match=r"Needy also needs image, mask: use navicache\.enable\(pipe\) in Python"):
        check_call(Needy, {})
    with pytest.raises(ValueError, match=r"Needy also needs mask: use"):
        check_call(Needy, {"image": "a.png"})
    with pytest.raises(ValueError, match=r"Needy also needs image: give --image FILE"):
        check_call(Needy, {"mask": 1})
