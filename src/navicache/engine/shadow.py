"""Shadow mode: the model also runs where a prediction stands in for it, so that its true error is known.

The engine decides, predicts, learns and keeps exactly as it would without: what is done here comes after, and only
the trace hears of it.
"""

from typing import Any

from navicache.engine.containers import unpack
from navicache.engine.lesson import Lesson
from navicache.engine.rows import mean_abs, minus, take
from navicache.engine.run import Run
from navicache.engine.tracker import Tracker
from navicache.models import Place


def predicted_samples(run: Run, at: Tracker) -> list[int]:
    """Samples of the newest call that were predicted: their references are older than its step."""
    if run.aside:
        return []
    references = run.stream(at.called[-1]).computed_at
    return [sample for sample, steps in enumerate(references) if steps[:1] != (at.index,)]


def witness(run: Run, at: Tracker, output: Any, truth: Any, place: Place | None, listed: bool) -> None:
    """Queue how far the prediction in `output` is from the truth, where the newest call led its step."""
    name = at.called[-1]
    if run.lead and name != at.called[0]:
        return
    decider, samples = run.decider(name), predicted_samples(run, at)
    rows = sorted(row for sample in samples for row in decider.layout[sample])
    some = None if len(rows) == run.rows else rows
    guess, exact = (take(run.inner(unpack(made, place, listed).rows), some) for made in (output, truth))
    readings = {"output_size": mean_abs(exact), "prediction_error": mean_abs(minus(exact, guess))}
    decider.lessons.append(Lesson(at.moment, name, rows, [*run.stream(name).computed_at], readings, teaches=False))
