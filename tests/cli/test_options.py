"""Options that several commands share."""

from argparse import Namespace

import pytest

from navicache.cli.options import KNOBS, read_cache_options
from navicache.generation.job import OPTION_OF_ARGUMENT, CacheSettings, ModelSource
from navicache.pocket import MEMBERS


def test_options_that_were_left_out_are_no_knobs():
    options = Namespace(policy=None, mode="fast", threshold=None, speedup=0.0, max_error=0.1, align_steps=None, set=[])
    assert read_cache_options(options) == CacheSettings(None, "fast", {"speedup": 0.0, "max_error": 0.1})


def test_a_knob_is_said_once():
    given = dict.fromkeys(KNOBS)
    sets = [("align_steps", 5), ("site", "blocks")]
    options = Namespace(policy="navicache", mode=None, **{**given, "threshold": 0.1}, set=sets)
    assert read_cache_options(options).knobs == {"threshold": 0.1, "align_steps": 5, "site": "blocks"}
    for twice in ({"align_steps": 3, "set": sets}, {"set": [*sets, ("site", "model")]}):
        with pytest.raises(ValueError, match=r"(align_steps|site) is given twice"):
            read_cache_options(Namespace(policy="navicache", mode=None, **{**given, **twice}))


def test_arguments_are_the_users_over_the_embedded_models_own():
    nothing = dict.fromkeys(OPTION_OF_ARGUMENT.values())
    usual = MEMBERS["wan"].call
    assert ModelSource("pocket").fill_arguments(nothing) == dict(usual)
    assert ModelSource("owner/name").fill_arguments(nothing) == {}
    asked = ModelSource("pocket").fill_arguments({**nothing, "steps": 3, "guidance": 0.0})
    assert asked == {**usual, "num_inference_steps": 3, "guidance_scale": 0.0}
