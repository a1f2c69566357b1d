"""`enable`: what it reads and checks before anything is attached."""

import json

import pytest
from tests.tiny.wan import WAN

import navicache


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
