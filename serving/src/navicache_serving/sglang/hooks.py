"""The hooks around the methods that most stages share: the loop of `DenoisingStage` and its call of the model."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from navicache_serving.sglang.loop_runner import LoopRunner, find_loop

StageMethod = Callable[..., Any]
STAGE_CLASS = "sglang.multimodal_gen.runtime.pipelines_core.stages.denoising.DenoisingStage"


@dataclass(frozen=True)
class DenoisingHooks:
    """The hooks; each takes the method it wraps, then the arguments of the call."""

    runner: LoopRunner
    get_forward_context: Callable[[], Any]  # SGLang's forward context, None outside of a step

    def map_hooks_to_methods(self) -> dict[str, StageMethod]:
        """The hooks by the methods that they wrap."""
        return {
            f"{STAGE_CLASS}.verify_input": self.wrap_verify_input,
            f"{STAGE_CLASS}._run_denoising_loop": self.wrap_denoising_loop,
            f"{STAGE_CLASS}._predict_noise": self.wrap_predict_noise,
        }

    def wrap_verify_input(self, method: StageMethod, stage: Any, batch: Any, server_args: Any) -> Any:
        """Raise ValueError for wrong settings when SGLang checks the request."""
        self.runner.read_options(batch)
        return method(stage, batch, server_args)

    def wrap_denoising_loop(
        self, method: StageMethod, stage: Any, ctx: Any, batch: Any, *args: Any, **kwargs: Any
    ) -> Any:
        """Wrap the steps of one request, or of several in one batch."""
        experts = [model for model in (stage.transformer, stage.transformer_2) if model is not None]
        with self.runner.open_loop(batch, experts, len(ctx.timesteps)):
            return method(stage, ctx, batch, *args, **kwargs)

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
        loop = find_loop(batch)
        if loop is None:  # nothing is cached
            return run_model()
        cache = loop.get_transformer_cache(current_model)
        cache.set_position(context.current_timestep, "uncond" if batch.is_cfg_negative else "cond")
        return cache.compute_or_predict(run_model, latent_model_input, timestep)
