"""`enable`: what it reads and checks before anything is attached."""

import inspect
import json
import re

import pytest
from tests.integrations.stub import StubEngine
from tests.integrations.toys import Toy
from tests.tiny.wan import WAN
from torch import nn

import navicache
from navicache.integrations.attachments import ModuleAttachment, find_attachment
from navicache.integrations.enable import AttachmentPlan


def test_the_docstring_lists_the_arguments_in_the_order_of_the_signature():
    listed = re.findall(r"^    (\w+): ", inspect.getdoc(navicache.enable), re.MULTILINE)
    assert listed == list(inspect.signature(navicache.enable).parameters)


@pytest.mark.parametrize(
    ("wrong", "error", "advice"),
    [
        ({"steps": 0}, ValueError, "steps must be the number of steps of a run, got 0"),
        ({"steps": 2.5}, ValueError, "steps must be the number of steps of a run, got 2.5"),
        ({"keep_dtype": "bfloat16"}, TypeError, "keep_dtype must be a torch.dtype such as torch.bfloat16"),
        ({"keep_device": "nowhere"}, RuntimeError, "nowhere"),
        ({"shadow": "half"}, ValueError, "shadow must be one of 'cached', 'full' or None, got 'half'"),
        ({"blocks": ("nowhere",), "policy": "firstblockcache"}, ValueError, "nowhere"),
    ],
)
def test_a_wrong_argument_leaves_the_model_untouched(wrong, error, advice):
    toy = Toy()
    with pytest.raises(error, match=advice):
        navicache.enable(toy, **wrong)
    assert find_attachment(toy) is None


def test_where_one_part_fails_none_stays_attached():
    module, engine = nn.Identity(), StubEngine()

    def failing():
        raise RuntimeError("no room")

    plan = AttachmentPlan({"first": lambda: ModuleAttachment(module, engine), "second": failing}, "")
    with pytest.raises(RuntimeError, match="no room"):
        plan.attach_all()
    assert find_attachment(module) is None and "detach" in engine.told


@pytest.mark.parametrize("target", [3, None, "pipe"])
def test_what_cannot_be_called_is_refused(target):
    with pytest.raises(TypeError, match=f"cannot cache a {type(target).__name__}: pass a diffusers pipeline, a module"):
        navicache.enable(target)


def test_wrong_files_and_wrong_policies(tmp_path):
    wrong = tmp_path / "wrong.json"
    wrong.write_text("[1, 2]")
    with pytest.raises(ValueError, match="is no calibration"):
        navicache.enable(WAN.build(), calibration=wrong)
    with pytest.raises(ValueError, match="cannot read the calibration"):
        navicache.enable(WAN.build(), calibration=tmp_path / "none.json")
    right = {"format": 1, "method": "magcache", "model": "FluxTransformer2DModel"}
    wrong.write_text(json.dumps({**right, "knobs": {"ratios": [1.0, 0.9]}, "quality": {}, "about": {}}))
    with pytest.raises(ValueError, match="made on a FluxTransformer2DModel"):
        navicache.enable(WAN.build(), calibration=wrong)
    with pytest.raises(ValueError, match="for policy 'magcache', not 'teacache'"):
        navicache.enable(WAN.build(), "teacache", calibration=wrong)
