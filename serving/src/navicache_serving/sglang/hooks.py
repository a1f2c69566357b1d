"""The hooks around SGLang's methods; their state is in the request."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from navicache_serving.sglang.denoising_loop import DenoisingLoop
from navicache_serving.sglang.request_options import describe_request_sampling, read_request_options

logger = logging.getLogger("sglang.navicache")
RUN_KEY = "navicache run"  # of the current loop, in the request's extras
StageMethod = Callable[..., Any]


@dataclass(frozen=True)
class DenoisingHooks:
    """The hooks; each takes the method it wraps, then the arguments of the call."""

    get_forward_context: Callable[[], Any]  # SGLang's forward context, None outside of a step
    get_process_group: Callable[[], Any]  # the ranks that denoise together, None on a single rank
    server_settings: Any = None  # settings for requests that have none
    warned_departures: set[str] = field(default_factory=set[str])  # from the settings file, by any request

    def map_hooks_to_methods(self) -> dict[str, StageMethod]:
        """The hooks by the methods of the denoising stage."""
        return {
            "verify_input": self.wrap_verify_input,
            "_run_denoising_loop": self.wrap_denoising_loop,
            "_predict_noise": self.wrap_predict_noise,
        }

    def wrap_verify_input(self, method: StageMethod, stage: Any, batch: Any, server_args: Any) -> Any:
        """Raise ValueError for wrong settings when SGLang checks the request."""
        read_request_options(batch, self.server_settings)
        return method(stage, batch, server_args)

    def wrap_denoising_loop(
        self, method: StageMethod, stage: Any, ctx: Any, batch: Any, *args: Any, **kwargs: Any
    ) -> Any:
        """Wrap the steps of one request, or of several in one batch."""
        options = read_request_options(batch, self.server_settings)
        if options is None:
            return method(stage, ctx, batch, *args, **kwargs)
        experts = [model for model in (stage.transformer, stage.transformer_2) if model is not None]
        about = (self.get_process_group, describe_request_sampling(batch), self.warned_departures)
        run, finished = DenoisingLoop(options, experts, len(ctx.timesteps), *about), False
        batch.extra[RUN_KEY] = run
        try:
            result = method(stage, ctx, batch, *args, **kwargs)
            finished = True
        finally:
            del batch.extra[RUN_KEY]
            summary = run.close_and_summarise(finished)
        logger.info("%s: %s", getattr(batch, "request_id", None), summary)
        return result

    def wrap_predict_noise(
        self, method: StageMethod, stage: Any, current_model: Any, latent_model_input: Any, timestep: Any, **kwargs: Any
    ) -> Any:
        """Wrap one call of the model."""

        def run_model() -> Any:
            return method(stage, current_model, latent_model_input, timestep, **kwargs)

        context = self.get_forward_context()
        if context is None or context.forward_batch is None:
            return run_model()
        batch = context.forward_batch
        run: DenoisingLoop | None = batch.extra.get(RUN_KEY)
        if run is None:  # nothing is cached, or the stage has another loop
            return run_model()
        cache = run.get_transformer_cache(current_model)
        cache.set_position(context.current_timestep, "uncond" if batch.is_cfg_negative else "cond")
        return cache.compute_or_predict(run_model, latent_model_input, timestep)
