"""`navicache calibrate`: from a pipeline to a file that `enable` reads."""

import pytest
from tests.tiny.wan import WAN

import navicache
from navicache.cli import main
from navicache.cli.calibrate.measure import read_flow_levels
from navicache.models import CALIBRATED_METHODS, read_calibration


@pytest.mark.parametrize("method", CALIBRATED_METHODS)
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
    assert found.seconds is not None and found.seconds > 0
    pipe = WAN.build()
    with navicache.enable(pipe, calibration=out) as cache:
        WAN.call(pipe, steps=8)
    assert cache.trace.runs[-1].policy == method


def test_prompts_from_a_file(tmp_path, capsys):
    empty = tmp_path / "prompts.txt"
    empty.write_text("\n \n")
    with pytest.raises(SystemExit) as stopped:
        main(["calibrate", "--method", "magcache", "--prompts", str(empty), "--out", str(tmp_path / "x.json")])
    assert stopped.value.code == 2
    assert "holds no prompt" in capsys.readouterr().err


@pytest.mark.parametrize("sigmas", [None, (1.0, 0.5), (1.0, 0.5, 0.5, 0.0), (14.6, 3.0, 1.0, 0.0)])
def test_what_is_no_flow_has_no_average_velocity(sigmas):
    scheduler = type("Other", (), {} if sigmas is None else {"sigmas": sigmas})()
    with pytest.raises(ValueError, match=r"meancache is for flow matching: Other has no noise levels .* 3 steps"):
        read_flow_levels(scheduler, 3)
