"""Shadow mode: the model also runs where a prediction stands in for it, so that its true error is known.

The engine decides, predicts, learns and keeps exactly as it would without: what is done here comes after, and only
the trace hears of it.
"""

from navicache.engine.decide.pending_outcome import PendingOutcome
from navicache.engine.run.outcome_measurement import measure_error
from navicache.engine.run.run_state import RunState
from navicache.engine.tensors.containers import UnpackedOutput
from navicache.engine.tensors.rows import take_rows
from navicache.engine.tracking.run_tracker import RunTracker


def find_predicted_samples(run: RunState, tracker: RunTracker) -> list[int]:
    """Samples of the newest call that were predicted: their references are older than its step."""
    if run.bypass_reason:
        return []
    references = run.streams.get_or_create(tracker.called_streams[-1]).computed_steps
    return [sample for sample, steps in enumerate(references) if steps[:1] != (tracker.local_index,)]


def queue_true_error(run: RunState, tracker: RunTracker, predicted: UnpackedOutput, exact: UnpackedOutput) -> None:
    """Queue the true error of a prediction, and of all outputs beside it, if the newest call led its step."""
    name = tracker.called_streams[-1]
    if run.leader_decides and name != tracker.called_streams[0]:
        return
    some = run.batch.select_rows(find_predicted_samples(run, tracker))
    inner = run.latent_state.take_latent_channels
    prediction, truth = (take_rows(inner(made.rows), some) for made in (predicted, exact))
    rows, since = range(run.row_count) if some is None else some, [*run.streams.get_or_create(name).computed_steps]
    outcome = PendingOutcome(tracker.position, name, rows, since, measure_error(truth, prediction), "truth")
    others = run.additional_outputs.measure_true_errors(outcome, predicted.others, exact.others)
    run.pending_outcomes.queue_outcomes([outcome, *others])
