"""A picture is saved whole or not at all."""

import os
import subprocess
import sys

import pytest
from PIL import Image
from tests.report.runs import adaptive_run, run_of, static_run
from tests.support.files import names_in

from navicache.report.trace_plot import draw_trace, save_trace_plot


def test_saves_png_and_svg(tmp_path):
    run = run_of(adaptive_run())
    save_trace_plot(run, tmp_path / "trace.png")
    save_trace_plot(run, str(tmp_path / "trace.SVG"))
    with Image.open(tmp_path / "trace.png") as picture:
        assert picture.format == "PNG"
        assert picture.size[0] == 1248
        assert len(picture.convert("RGB").getcolors(1 << 24)) > 10
    assert "<svg" in (tmp_path / "trace.SVG").read_text(encoding="utf-8")
    assert names_in(tmp_path) == ["trace.SVG", "trace.png"]


def test_a_failing_save_leaves_the_old_picture(tmp_path, monkeypatch):
    path = tmp_path / "trace.png"
    path.write_bytes(b"old")

    def half(self, file, **_):
        file.write(b"half")
        raise OSError("no space left")

    monkeypatch.setattr("matplotlib.figure.Figure.savefig", half)
    with pytest.raises(OSError, match="no space left"):
        save_trace_plot(static_run(), path)
    assert path.read_bytes() == b"old"
    assert names_in(tmp_path) == ["trace.png"]


def test_other_formats_and_empty_runs_are_refused(tmp_path):
    with pytest.raises(ValueError, match=r"end its name with \.png or \.svg"):
        save_trace_plot(static_run(), tmp_path / "trace.jpg")
    with pytest.raises(ValueError, match="no step yet"):
        draw_trace(run_of([]))
    with pytest.raises(ValueError, match="no sample 4"):
        draw_trace(static_run(), sample=4)


def test_no_global_state_and_no_matplotlib_below():
    code = (
        "import sys, navicache.records; assert 'matplotlib' not in sys.modules; "
        "import navicache.report; assert 'matplotlib' not in sys.modules; "
        "import navicache.report.trace_plot; assert 'matplotlib.pyplot' not in sys.modules"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120, env=environment)
