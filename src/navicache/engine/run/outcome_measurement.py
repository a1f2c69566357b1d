"""What a computed call teaches: measured on the device now, learnt when it has crossed."""

from typing import NamedTuple

from navicache.engine.decide.decider import StreamDecider
from navicache.engine.decide.pending_outcome import PendingOutcome
from navicache.engine.predict.stream_cache import StreamCache
from navicache.engine.run.latent_state import LatentState
from navicache.engine.tensors.device_readings import DeviceReading
from navicache.engine.tensors.rows import Rows, measure_mean_abs, subtract_rows, take_rows
from navicache.engine.tracking.model_call import ModelCall
from navicache.engine.tracking.run_tracker import StepPosition


class ComputeWork(NamedTuple):
    """A call of one stream that the model is to answer, for some samples or for all."""

    stream: str
    call: ModelCall
    latent: Rows  # the engine's own copy of the latent part, from before the model ran
    samples: list[int]
    rows: list[int] | None  # of those samples; None for all rows
    other_latents: tuple[Rows, ...] = ()  # copies, of a policy that adds them to further outputs


class ComputeResult(NamedTuple):
    """The result of a compute, with the prediction it replaced."""

    position: StepPosition
    latent: Rows
    encoded_output: Rows  # the output in the form in which it is kept
    prediction: Rows | None  # what the output would have been predicted as
    prediction_error: Rows  # by the prediction; nothing where that is not made up for


def measure_output_change(
    work: ComputeWork,
    compute_result: ComputeResult,
    decider: StreamDecider,
    stream: StreamCache,
    latent_state: LatentState,
    all_rows: range,
) -> PendingOutcome:
    """Measure an output against the one computed before."""
    rows, inner = work.rows, latent_state.take_latent_channels
    pairs = zip(decider.computed_steps, stream.computed_steps, strict=True)
    since = [last if last and last == kept else None for last, kept in pairs]
    previous, prediction = None, None
    if compute_result.prediction is not None and any(since[sample] is not None for sample in work.samples):
        x, _ = stream.history[0]
        outputs_before = [inner(take_rows(y, rows)) for _, y in stream.history]
        previous = (take_rows(x, rows), outputs_before)
        prediction = inner(stream.encode_rows(take_rows(compute_result.prediction, rows), rows))
    readings = decider.measurements.measure_output(
        take_rows(compute_result.latent, rows), inner(compute_result.encoded_output), previous, prediction
    )
    if compute_result.prediction_error and stream.last_error:
        readings |= decider.measurements.measure_error_correlation(
            inner(compute_result.prediction_error), inner(take_rows(stream.last_error, rows))
        )
    return PendingOutcome(compute_result.position, work.stream, all_rows if rows is None else rows, since, readings)


def measure_course(
    work: ComputeWork,
    compute_result: ComputeResult,
    decider: StreamDecider,
    stream: StreamCache,
    latent_state: LatentState,
) -> dict[str, DeviceReading]:
    """Measure what a predictor learns from: an output as it is kept, against those before."""
    rows, inner = work.rows, latent_state.take_latent_channels
    encoded = inner(compute_result.encoded_output)
    before = [inner(take_rows(y, rows)) for _, y in stream.history] if decider.measurements.needs_inner_products else []
    readings = decider.measurements.measure_difference(encoded, before)
    if compute_result.prediction_error and stream.last_error:
        readings |= decider.measurements.measure_error_correlation(
            inner(compute_result.prediction_error), inner(take_rows(stream.last_error, rows))
        )
    return readings


def measure_error(truth: Rows, prediction: Rows) -> dict[str, DeviceReading]:
    """Measure how far a prediction was from the truth."""
    error = measure_mean_abs(subtract_rows(truth, prediction))
    return {"output_magnitude": measure_mean_abs(truth), "prediction_error": error}
