"""`navicache generate --shadow` writes the trace and a calibration plot."""

import numpy as np
import pytest
from tests.cli.common import SMALL, STATIC, decoded
from tests.support.files import names_in

from navicache import Trace
from navicache.cli import main

REUSING = ("--policy", "easycache", "--threshold", "0.5", "--steps", "16")


@pytest.mark.parametrize("shadow", ["cached", "full"])
def test_it_writes_trace_and_calibration(shadow, tmp_path, capsys):
    assert main(["generate", *SMALL, *REUSING, "--shadow", shadow, "--out", str(tmp_path)]) == 0
    assert names_in(tmp_path) == ["calibration.png", "trace.json", "video.mp4"]
    (run,) = Trace.load(tmp_path / "trace.json").runs
    assert (run.shadow, run.belief) == (shadow, "accumulated")
    errors = [step.reuse_error for step in run.leading if not step.computed]
    assert errors
    assert None not in errors
    printed = capsys.readouterr()
    assert f"shadow ({shadow}): every step was computed; {len(errors)} of 16 steps would have been" in printed.out
    assert "true error of those" in printed.out
    assert "  shadow " in printed.out
    assert str(tmp_path / "calibration.png") in printed.out


def test_cached_makes_the_video_of_the_cache(tmp_path):
    for name, extra in (("real", ()), ("shadow", ("--shadow", "cached")), ("full", ("--shadow", "full"))):
        assert main(["generate", *SMALL, *REUSING, *extra, "--out", str(tmp_path / name)]) == 0
    real, shadow, full = (decoded(tmp_path / name / "video.mp4").astype(float) for name in ("real", "shadow", "full"))
    assert np.abs(real - shadow).mean() < 0.5  # one rounding of a float may tip a decision of the encoder
    assert np.abs(real - full).mean() > 0.5


def test_a_policy_that_predicts_no_error_has_no_plot(tmp_path, capsys):
    assert main(["generate", *SMALL, *STATIC, "--shadow", "full", "--out", str(tmp_path)]) == 0
    assert names_in(tmp_path) == ["trace.json", "video.mp4"]
    assert "the policy predicts no error to compare with" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("options", "advice"),
    [
        (["--shadow", "cached", "--compare"], "argument --compare: not allowed with argument --shadow"),
        (["--shadow", "half"], "invalid choice: 'half' (choose from"),
    ],
)
def test_wrong_options(options, advice, tmp_path, capsys):
    with pytest.raises(SystemExit) as end:
        main(["generate", *SMALL, *options, "--out", str(tmp_path)])
    assert end.value.code == 2
    assert advice in capsys.readouterr().err
