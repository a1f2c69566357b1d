"""`navicache calibrate`: from a pipeline to a file that `enable` reads."""

import itertools
import json

import numpy as np
import pytest
import torch
from tests.tiny.cogvideox import COGVIDEOX
from tests.tiny.wan import WAN

import navicache
from navicache.cli import main
from navicache.engine import Sight
from navicache.evaluation.calibrate import fit_polynomial, measure_ratios
from navicache.integrations.probe import probed
from navicache.models import read_calibration

STEPS = 12


def seen(family, prompts=2, signal="modulated", **call):
    pipe = family.build()
    with probed(pipe, signal) as probe:
        for number in range(prompts):
            family.call(pipe, steps=STEPS, seed=number, **call)
    return probe.sights


def test_a_probe_sees_every_call_and_changes_nothing():
    pipe = WAN.build()
    full = WAN.call(pipe, steps=STEPS)
    with probed(pipe) as probe:
        assert torch.equal(WAN.call(pipe, steps=STEPS), full)
    assert torch.equal(WAN.call(pipe, steps=STEPS), full)
    assert [(sight.index, sight.branch) for sight in probe.sights] == [(i, b) for i in range(STEPS) for b in (0, 1)]
    assert all(None not in sight for sight in probe.sights[2:])
    assert probe.sights[0][3:] == (None, None, None)


def test_the_residuals_length_by_hand():
    pipe = WAN.build()
    blocks, added = pipe.transformer.blocks, []
    blocks[0].register_forward_pre_hook(lambda _, args: added.append([args[0].clone(), None]))
    blocks[-1].register_forward_hook(lambda _, __, output: added[-1].__setitem__(1, output.clone()))
    with probed(pipe, "time") as probe:
        WAN.call(pipe, steps=STEPS, guidance=False)
    residuals = [after - before for before, after in added]
    expected = [(b.norm(dim=-1) / a.norm(dim=-1)).mean().item() for a, b in itertools.pairwise(residuals)]
    assert [sight.residual_ratio for sight in probe.sights[1:]] == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize(("family", "branches"), [(WAN, 2), (COGVIDEOX, 1)], ids=["wan", "cogvideox"])
def test_magcache_from_what_was_seen(family, branches):
    knobs, quality = measure_ratios(seen(family))
    assert len(knobs["ratios"]) == STEPS * branches
    assert knobs["ratios"][:branches] == (1.0,) * branches
    assert knobs["interleaved"] is (branches == 2)
    assert quality["runs"] == 2
    with navicache.enable(family.build(), "magcache", **knobs, threshold=1.0, longest_reuse=2) as cache:
        assert cache.trace.runs == ()


def test_the_polynomial_is_found_again():
    x = np.linspace(0.01, 0.3, 40)
    truth = (3.0, -2.0, 1.0, 0.5, 0.02)
    sights = [Sight(1, i, 0, float(v), float(np.polyval(truth, v)), None) for i, v in enumerate(x)]
    found, quality = fit_polynomial(sights)
    assert found == pytest.approx(truth, rel=1e-4)
    assert quality["r2"] == pytest.approx(1.0)
    flat = [Sight(1, i, 0, 0.1, 0.1 * i, None) for i in range(6)]
    assert fit_polynomial(flat)[0][:4] == (0.0,) * 4  # one value of the signal carries no curve
    with pytest.raises(ValueError, match="too few"):
        fit_polynomial(sights[:4])


@pytest.mark.parametrize("method", ["teacache", "magcache"])
def test_the_command_writes_a_file_that_enable_reads(method, tmp_path, wan_folder, capsys):
    out = tmp_path / "made" / f"{method}.json"
    size = ["--steps", "8", "--frames", "5", "--height", "32", "--width", "48"]
    arguments = [
        "calibrate",
        "--method",
        method,
        "--model",
        str(wan_folder),
        "--prompt",
        "a red ball moves left",
        *size,
    ]
    assert main([*arguments, "--out", str(out)]) == 0
    assert out.with_suffix(".png").read_bytes()[:4] == b"\x89PNG"
    said = capsys.readouterr().out
    assert str(out) in said
    assert " s" in said
    found = read_calibration(out)
    assert found.method == method
    assert found.about["prompts"] == 1
    pipe = WAN.build()
    with navicache.enable(pipe, calibration=out) as cache:
        WAN.call(pipe, steps=8)
    assert cache.trace.runs[-1].policy == method


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


def test_prompts_from_a_file(tmp_path, capsys):
    empty = tmp_path / "prompts.txt"
    empty.write_text("\n \n")
    with pytest.raises(SystemExit) as stopped:
        main(["calibrate", "--method", "magcache", "--prompts", str(empty), "--out", str(tmp_path / "x.json")])
    assert stopped.value.code == 2
    assert "holds no prompt" in capsys.readouterr().err
