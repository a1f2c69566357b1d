"""Shadow mode: the model also runs where a prediction stands in for it, so that its true error is known.

The engine decides, predicts, learns and keeps exactly as it would without: what is done here comes after, and only
the trace hears of it.
"""

from navicache.engine.decide.pending_outcome import PendingOutcome
from navicache.engine.run.run_state import RunState
from navicache.engine.tensors.rows import Rows, measure_mean_abs, subtract_rows, take_rows
from navicache.engine.tracking.run_tracker import RunTracker


def find_predicted_samples(run: RunState, tracker: RunTracker) -> list[int]:
    """Samples of the newest call that were predicted: their references are older than its step."""
    if run.bypass_reason:
        return []
    references = run.streams.get_or_create(tracker.called_streams[-1]).computed_steps
    return [sample for sample, steps in enumerate(references) if steps[:1] != (tracker.local_index,)]


def queue_true_error(run: RunState, tracker: RunTracker, predicted_output: Rows, true_output: Rows) -> None:
    """Queue the true error of a prediction, if the newest call led its step."""
    name = tracker.called_streams[-1]
    if run.leader_decides and name != tracker.called_streams[0]:
        return
    some = run.batch.select_rows(find_predicted_samples(run, tracker))
    inner = run.latent_state.take_latent_channels
    prediction, truth = (take_rows(inner(made), some) for made in (predicted_output, true_output))
    error = measure_mean_abs(subtract_rows(truth, prediction))
    readings = {"output_magnitude": measure_mean_abs(truth), "prediction_error": error}
    rows, since = range(run.row_count) if some is None else some, [*run.streams.get_or_create(name).computed_steps]
    run.pending_outcomes.queue_outcome(PendingOutcome(tracker.position, name, rows, since, readings, "truth"))
