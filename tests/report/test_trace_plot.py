"""The picture shows what the trace says; artists are asked, pixels are not."""

import math
from dataclasses import replace
from typing import Any

import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from tests.report.runs import adaptive_run, panels, run_of, static_run

from navicache.records import RunRecord, StepRecord
from navicache.report.trace_plot import BLUE, PALE, draw_trace


def cells(axes: Any, kind: str) -> dict[int, tuple[int, ...]]:
    """Row -> steps, read off the rectangles."""
    boxes = [path.get_extents() for bars in axes.collections if bars.get_gid() == kind for path in bars.get_paths()]
    found: dict[int, list[int]] = {}
    for box in boxes:
        found.setdefault(round((box.y0 + box.y1) / 2), []).append(round((box.x0 + box.x1) / 2))
    return {row: tuple(steps) for row, steps in found.items()}


def by_label(axes: Any) -> dict[str, Any]:
    handles, labels = axes.get_legend_handles_labels()
    return dict(zip(labels, handles, strict=True))


def texts(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.texts]


def test_three_panels_on_one_step_axis():
    figure = draw_trace(run_of(adaptive_run()))
    assert list(panels(figure)) == ["ratio", "error", "schedule"]
    assert {axes.get_xlim() for axes in figure.axes} == {(-0.6, 11.6)}


def test_a_fixed_schedule_is_a_strip_alone():
    figure = draw_trace(static_run())
    assert list(panels(figure)) == ["schedule"]
    assert cells(figure.axes[0], "computed") == {0: (0, 2, 4)}
    assert cells(figure.axes[0], "reused") == {0: (1, 3, 5)}


def test_the_strip_has_one_row_per_stream():
    steps = [replace(s, computed=s.computed or s.stream == "uncond") for s in adaptive_run()]
    strip = panels(draw_trace(run_of(steps)))["schedule"]
    assert [label.get_text() for label in strip.get_yticklabels()] == ["cond", "uncond"]
    assert cells(strip, "computed") == {0: (0, 1, 2, 3, 6, 9), 1: tuple(range(12))}
    assert cells(strip, "reused") == {0: (4, 5, 7, 8, 10, 11)}
    colours = {
        bars.get_gid(): to_hex(bars.get_facecolor()[0]).upper() for bars in strip.collections if len(bars.get_paths())
    }
    assert colours == {"computed": BLUE, "reused": PALE}


def test_the_strip_has_one_row_per_sample_where_several():
    run = run_of(adaptive_run() + adaptive_run(sample=1))
    figure = draw_trace(run, sample=1)
    strip = panels(figure)["schedule"]
    assert [label.get_text() for label in strip.get_yticklabels()] == ["sample 0", "sample 1"]
    assert cells(strip, "computed") == {0: run.computed_steps(0), 1: run.computed_steps(1)}
    assert run.computed_steps(0) != run.computed_steps(1)
    assert "curves: sample 1" in texts(figure)[1]
    measured = by_label(panels(figure)["ratio"])["measured"].get_ydata()
    assert [i for i, y in enumerate(measured) if not math.isnan(y)] == [1, 2, 5, 8, 11]


def test_steps_still_to_come_are_empty():
    figure = draw_trace(run_of(adaptive_run()[:10]))
    assert cells(panels(figure)["schedule"], "computed") == {0: (0, 1, 2, 3), 1: (0, 1, 2, 3)}
    assert figure.axes[0].get_xlim() == (-0.6, 11.6)
    assert "so far" in texts(figure)[1]


def test_the_ratio_panel_shows_estimate_band_and_measurements():
    run = run_of(adaptive_run())
    shown = by_label(panels(draw_trace(run))["ratio"])
    assert list(shown["estimate"].get_ydata())[2:] == [2.0] * 10
    assert all(math.isnan(y) for y in shown["estimate"].get_ydata()[:2])  # unknown: a gap
    points = {x: y for x, y in zip(*shown["measured"].get_data(), strict=True) if not math.isnan(y)}
    assert list(points) == [1, 2, 3, 6, 9]
    assert points[9] == pytest.approx(2.9)
    for label, low, high in (("±1 std", 1.8, 2.2), ("±2 std", 1.6, 2.4)):
        box = shown[label].get_paths()[0].get_extents()
        assert (box.x0, box.x1) == (2, 11)
        assert (box.y0, box.y1) == pytest.approx((low, high))


@pytest.mark.parametrize(("settings", "seen"), [({}, [3.0]), ({"max_error": 0.05}, [])], ids=["threshold", "margin"])
def test_an_error_gate_is_held_against_the_growth_that_was_seen(settings, seen):
    """A growth of 2 has predicted an error of 0.1, over a distance of 0.05; it was 0.15, so 3. A margin hides that."""
    told = {"ratio": 2.0, "predicted_change": 0.1, "reuse_error": 0.15, "measured_ratio": 9.0}
    step = StepRecord(index=0, stream="0", computed=True, reason="gate", **told)
    run = RunRecord(model="Toy", policy="ours", steps=(step,), belief="predicted_change", settings=settings)
    axes = panels(draw_trace(run))["ratio"]
    points = by_label(axes).get("measured")
    assert ([] if points is None else [*points.get_ydata()]) == pytest.approx(seen)
    assert axes.get_title(loc="left").startswith("growth")


def test_a_huge_variance_does_not_flatten_the_curve():
    steps = [replace(s, variance=1e6) if s.index == 2 and s.ratio else s for s in adaptive_run()]
    low, high = panels(draw_trace(run_of(steps)))["ratio"].get_ylim()
    assert -1 < low < 2 < 3.0 < high < 5


def test_the_error_panel_tells_reused_from_computed_bars():
    run = run_of(adaptive_run())
    axes = panels(draw_trace(run))["error"]
    shown = by_label(axes)
    for label, wanted in (("accumulated, computed", True), ("accumulated, reused", False)):
        bars = {
            round(b.get_x() + b.get_width() / 2): b.get_height() for b in shown[label] if not math.isnan(b.get_height())
        }
        assert bars == {
            s.index: s.accumulated for s in run.steps_of() if s.computed == wanted and s.accumulated is not None
        }
    threshold = shown["threshold 0.05"]
    assert threshold.is_dashed()
    assert {y for y in threshold.get_ydata() if not math.isnan(y)} == {0.05}
    assert (max(threshold.get_xdata()), shown["reuse error"].get_ydata()[9]) == (11.5, 0.01)


def test_a_reuse_error_far_above_is_marked_at_the_edge():
    steps = [replace(s, reuse_error=3.0) if s.index == 9 and s.reuse_error else s for s in adaptive_run()]
    axes = panels(draw_trace(run_of(steps)))["error"]
    assert axes.get_ylim()[1] < 0.1
    assert math.isnan(by_label(axes)["reuse error (▲ up to 3)"].get_ydata()[9])
    assert [list(line.get_xdata()) for line in axes.lines if line.get_marker() == "^"] == [[9]]


def test_panels_without_an_estimate_show_what_is_known():
    steps = [replace(s, ratio=None, variance=None, accumulated=None, threshold=None) for s in adaptive_run()]
    shown = {name: list(by_label(axes)) for name, axes in panels(draw_trace(run_of(steps))).items()}
    assert shown == {"ratio": ["measured"], "error": ["reuse error"], "schedule": ["computed", "reused"]}


def test_numbers_that_are_not_finite_are_gaps():
    steps = [replace(s, ratio=math.inf, reuse_error=math.nan) if s.index == 6 else s for s in adaptive_run()]
    shown = by_label(panels(draw_trace(run_of(steps)))["ratio"])
    assert math.isnan(shown["estimate"].get_ydata()[6])


def test_the_head_names_model_policy_and_counts():
    figure = draw_trace(run_of(adaptive_run(), model=r"A $\odd$ model", settings={"threshold": 0.05}))
    assert texts(figure) == [
        r"navicache on A $\odd$ model",
        "computed 6 of 12 steps (2.00x fewer calls)   |   threshold=0.05",
    ]
    figure.canvas.draw()  # as a formula this would fail


@pytest.mark.parametrize("run", [run_of(adaptive_run()), run_of(adaptive_run() + adaptive_run(sample=1)), static_run()])
def test_legends_cover_neither_data_nor_captions(run):
    figure = draw_trace(run)
    figure.canvas.draw()
    for axes in panels(figure).values():
        legend, caption = axes.get_legend().get_window_extent(), axes._left_title.get_window_extent()
        assert legend.y0 >= axes.get_window_extent().y1 - 1
        assert legend.x0 > caption.x1
