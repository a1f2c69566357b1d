"""What a visitor asks for: refused early, or a job."""

import math

import pytest
from tests.studio.toys import job_of, wish
from tests.support.tuned import tuned_file

from navicache.generation.job import ModelSource
from navicache.studio.models import StudioModels
from navicache.studio.request import MAX_ERROR, QUALITY, SETTINGS, baseline_key


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"prompt": "  "}, "the prompt is empty"),
        ({"model": "pocket:nobody"}, "no model 'nobody'"),
        ({"model": " "}, "no model is named: choose one, such as pocket"),
        ({"model": None}, "no model is named"),
        ({"speedup": 0.5}, "speedup must be a number from 1"),
        ({"speedup": math.nan}, "speedup must be"),
        ({"speedup": 1e9}, "speedup must be"),
        ({"speedup": None}, "the target is a speed-up, and none is given"),
        ({"target": QUALITY, "quality": None}, "the target is a quality, and none is given"),
        ({"target": MAX_ERROR, "max_error": None}, "the target is a max error, and none is given"),
        ({"target": QUALITY, "quality": "mid"}, "quality must be one of 'lossless', 'high', 'fast', got 'mid'"),
        ({"target": MAX_ERROR, "max_error": -0.1}, "max_error"),
        ({"target": MAX_ERROR, "max_error": math.inf}, "max_error"),
        ({"target": SETTINGS}, "no settings file .: write the path of a file of `navicache tune`"),
        ({"target": SETTINGS, "settings": "none.json"}, "no settings file none.json"),
        ({"target": "colour"}, "target must be one of"),
        ({"steps": 0}, "steps must be a whole number of 1 or more"),
        ({"steps": 2.5}, "steps must be a whole number"),
        ({"frames": -1}, "frames must be"),
        ({"height": 4}, "height must be a whole number of 8 or more"),
        ({"guidance": math.nan}, "guidance must be a number"),
        ({"seed": None}, "seed must be a whole number"),
        ({"seed": -1}, "seed must be a whole number"),
        ({"seed": 2**70}, "seed must be"),
    ],
    ids=str,
)
def test_what_no_model_could_make_right_is_refused(changed, said):
    with pytest.raises(ValueError, match=said):
        wish(**changed).to_job(StudioModels())


def test_a_locked_studio_keeps_to_its_models():
    locked = StudioModels(ModelSource("pocket:hunyuan"), locked=True)
    assert wish(model="pocket:unet").to_job(locked).source.member.name == "unet"
    with pytest.raises(ValueError, match=r"no owner/name: choose from pocket:hunyuan, pocket"):
        wish(model="owner/name").to_job(locked)


def test_a_settings_file_is_named_only_where_the_studio_is_not_locked(tmp_path):
    asked = wish(target=SETTINGS, settings=f" {tuned_file(tmp_path, 'WanTransformer3DModel')} ")
    assert asked.to_job(StudioModels()).caching.settings == tmp_path / "tuned.json"
    with pytest.raises(ValueError, match="this studio is locked: only who runs it may name a settings file"):
        asked.to_job(StudioModels(locked=True))
    (tmp_path / "tuned.json").write_text("{}")
    with pytest.raises(ValueError, match="is no settings file"):
        asked.to_job(StudioModels())


def test_targets_are_those_of_enable():
    assert dict(job_of(speedup=2.5).caching.knobs) == {"speedup": 2.5}
    assert dict(job_of(target=MAX_ERROR, max_error=0.1).caching.knobs) == {"max_error": 0.1}
    fast = job_of(target=QUALITY, quality="fast").caching
    assert (fast.quality, fast.mode, dict(fast.knobs)) == ("fast", None, {})


def test_empty_fields_are_the_models_own():
    bare = job_of(steps=None, frames=None, height=None, width=None, model="pocket:hunyuan")
    assert (bare.arguments["num_inference_steps"], bare.arguments["num_frames"]) == (50, 9)
    assert "negative_prompt" not in bare.arguments and bare.fps == 8
    other = job_of(steps=None, frames=None, height=None, width=None, model="owner/name")
    assert dict(other.arguments) == {}


def test_the_plain_run_depends_on_all_but_the_target():
    key = baseline_key(job_of())
    for target in ({"speedup": 3.0}, {"target": QUALITY}, {"target": MAX_ERROR}):
        assert baseline_key(job_of(**target)) == key
    changes = {"prompt": "a cat", "seed": 1, "steps": 9, "guidance": 3.0, "model": "pocket:wan", "frames": 9}
    others = [baseline_key(job_of(**{name: value})) for name, value in changes.items()]
    assert len({key, *others, baseline_key(job_of(negative_prompt="blue"))}) == len(changes) + 2
