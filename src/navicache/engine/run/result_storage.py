"""Keeps the output of a compute in the form of its stream, with the error of the prediction that it replaced."""

from navicache.engine.run.outcome_measurement import ComputeResult, ComputeWork
from navicache.engine.run.stream_caches import StreamCaches
from navicache.engine.tensors.rows import NO_ROWS, Rows, subtract_rows, take_rows
from navicache.engine.tracking.run_tracker import StepPosition


def encode_result(
    streams: StreamCaches,
    work: ComputeWork,
    output: Rows,
    prediction: Rows | None,
    position: StepPosition,
    is_leading: bool,
) -> ComputeResult:
    """Encode an output as its stream keeps it; a follower is adopted with its first one."""
    name, rows = work.stream, work.rows
    if not is_leading and rows is None:
        streams.adopt_follower(name, output)
    encoded, error = streams.encode_output(name, output, rows), NO_ROWS
    if streams.get_or_create(name).history and streams.corrects_errors(name, is_leading):
        error = compute_prediction_error(streams, work, encoded, prediction)
    return ComputeResult(position, work.latent, encoded, prediction, error)


def compute_prediction_error(
    streams: StreamCaches, work: ComputeWork, encoded_output: Rows, prediction: Rows | None
) -> Rows:
    """Compute the error of the prediction without its correction by the last error."""
    name, rows, course = work.stream, work.rows, prediction
    stream, weights = streams.get_or_create(name), streams.compute_row_weights(name)
    if course is None or name in streams.followers or any(each.error_weight for each in weights):
        plain_weights = [each._replace(error_weight=0.0) for each in weights]
        course = stream.predict_output(work.latent, plain_weights, streams.latent_state.shared_channels)
    return subtract_rows(encoded_output, stream.encode_rows(take_rows(course, rows), rows))


def store_result(streams: StreamCaches, work: ComputeWork, result: ComputeResult, shares_latent: bool) -> None:
    """Keep it for later predictions, once it has been measured against those kept so far."""
    stream = streams.get_or_create(work.stream)
    stream.store_step(
        result.latent, result.encoded_output, work.rows, result.prediction_error, shares_latent=shares_latent
    )
    stream.mark_computed(result.position.local_index, work.samples)
