"""Finds the channels of the latent that a model's input and output share, from the first output of a run."""

from collections.abc import Collection

from navicache.engine.errors import CannotCache
from navicache.engine.run.outcome_measurement import ComputeWork
from navicache.engine.run.stream_caches import StreamCaches
from navicache.engine.tensors.rows import Rows
from navicache.engine.tensors.shared_channels import find_shared_channels


def find_latent_channels(
    streams: StreamCaches, work: ComputeWork, output: Rows, measurement_names: Collection[str]
) -> ComputeWork:
    """Find how the latent lies in input and output, unless it is known; return the call with its part of the input.

    Input and output without a common part are an error only if a gate or a predictor needs one.
    """
    latent_state = streams.latent_state
    if latent_state.are_channels_known:
        return work
    try:
        channels = find_shared_channels(work.call.latent, output)
    except CannotCache:
        references = streams.get_or_create(work.stream).computed_steps
        weights = streams.deciders.get_or_create(work.stream).compute_weights(references)
        uses_input = any(each.input or any(x for x, _ in each.references) for each in weights)
        if uses_input or "by_channel" in measurement_names:
            raise
        channels = None
    latent = latent_state.set_shared_channels(channels, work.latent)
    if latent_state.shared_channels.width is not None:
        streams.batch.restart_layout_check(latent_state.latent)
    return work._replace(latent=latent)
