"""Shadow mode: the model also runs where a prediction stands in for it, so that its true error is known.

The engine decides, predicts, learns and keeps exactly as it would without: what is done here comes after, and only
the trace hears of it.
"""

from navicache.engine.decide.lesson import Lesson
from navicache.engine.run.run import Run
from navicache.engine.tensors.rows import Rows, mean_abs, minus, take
from navicache.engine.tracking.tracker import Tracker


def predicted_samples(run: Run, at: Tracker) -> list[int]:
    """Samples of the newest call that were predicted: their references are older than its step."""
    if run.aside:
        return []
    references = run.streams.of(at.called[-1]).computed_at
    return [sample for sample, steps in enumerate(references) if steps[:1] != (at.own_index,)]


def witness(run: Run, at: Tracker, output: Rows, truth: Rows) -> None:
    """Queue how far the prediction in `output` is from the truth, where the newest call led its step."""
    name = at.called[-1]
    if run.lead and name != at.called[0]:
        return
    some = run.batch.rows_of(predicted_samples(run, at))
    guess, exact = (take(run.seen.inner(made), some) for made in (output, truth))
    readings = {"output_size": mean_abs(exact), "prediction_error": mean_abs(minus(exact, guess))}
    rows, since = range(run.rows) if some is None else some, [*run.streams.of(name).computed_at]
    run.lessons.queue(Lesson(at.moment, name, rows, since, readings, "truth"))
