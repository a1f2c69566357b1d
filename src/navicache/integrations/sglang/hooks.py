"""What stands around SGLang's own methods: the state is in the request they are handed."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from navicache.integrations.sglang.loop import Loop
from navicache.integrations.sglang.settings import requested

logger = logging.getLogger("sglang.navicache")
RUN = "navicache run"  # of the loop at hand, in the request's extras
Method = Callable[..., Any]


@dataclass(frozen=True)
class Hooks:
    """Each is handed the method it stands around, then what that was called with."""

    context: Callable[[], Any]  # SGLang's forward context, None outside of a step
    group: Callable[[], Any]  # the ranks that denoise together, None for one by itself
    server: Any = None  # settings for requests that have none

    def by_name(self) -> dict[str, Method]:
        """The hooks by the methods of the denoising stage."""
        return {"verify_input": self.verify, "_run_denoising_loop": self.loop, "_predict_noise": self.predict}

    def verify(self, method: Method, stage: Any, batch: Any, server_args: Any) -> Any:
        """Refuse settings where SGLang looks at the rest of the request."""
        requested(batch, self.server)
        return method(stage, batch, server_args)

    def loop(self, method: Method, stage: Any, ctx: Any, batch: Any, *args: Any, **kwargs: Any) -> Any:
        """Around the steps of one request, or of several that were merged into one batch."""
        options = requested(batch, self.server)
        if options is None:
            return method(stage, ctx, batch, *args, **kwargs)
        experts = [model for model in (stage.transformer, stage.transformer_2) if model is not None]
        run, finished = Loop(options, experts, len(ctx.timesteps), self.group), False
        batch.extra[RUN] = run
        try:
            result = method(stage, ctx, batch, *args, **kwargs)
            finished = True
        finally:
            del batch.extra[RUN]
            said = run.close(finished)
        logger.info("%s: %s", getattr(batch, "request_id", None), said)
        return result

    def predict(
        self, method: Method, stage: Any, current_model: Any, latent_model_input: Any, timestep: Any, **kwargs: Any
    ) -> Any:
        """Around one call of the model."""

        def model() -> Any:
            return method(stage, current_model, latent_model_input, timestep, **kwargs)

        context = self.context()
        if context is None or context.forward_batch is None:
            return model()
        batch = context.forward_batch
        run: Loop | None = batch.extra.get(RUN)
        if run is None:  # nothing is cached, or a stage has a loop of its own
            return model()
        lane = run.lane(current_model)
        lane.enter(context.current_timestep, "uncond" if batch.is_cfg_negative else "cond")
        return lane.answer(model, latent_model_input, timestep)
