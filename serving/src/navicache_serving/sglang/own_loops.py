"""Hooks for stages that call their model in a way of their own: Cosmos3, MiniMax H3 and Ideogram 4."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor
from torch.nn import functional

from navicache_serving.sglang.denoising_loop import DenoisingLoop
from navicache_serving.sglang.hooks import StageMethod
from navicache_serving.sglang.loop_runner import LoopRunner, find_loop
from navicache_serving.sglang.request_options import H3_SIGMAS

STAGES = "sglang.multimodal_gen.runtime.pipelines_core.stages.model_specific_stages"
COSMOS_STAGE = f"{STAGES}.cosmos3.Cosmos3DenoisingStage"
H3_STAGE = f"{STAGES}.minimax_h3.stages.denoising.MiniMaxH3DenoisingStage"
H3_TARGET_ROWS = "img_pos_for_infer_output_info"  # argument of the model: which rows are the video to be made
IDEOGRAM_STAGE = f"{STAGES}.ideogram.Ideogram4DenoisingStage"
IDEOGRAM_FACTS = "ideogram4"  # in the request's extras


@dataclass(frozen=True)
class OwnLoopHooks:
    """The hooks; each takes the method it wraps, then the arguments of the call."""

    runner: LoopRunner
    get_forward_context: Callable[[], Any]  # SGLang's forward context, None outside of a step
    cosmos_loops: dict[int, DenoisingLoop] = field(default_factory=dict[int, DenoisingLoop])  # by the stage's id

    def map_hooks_to_methods(self) -> dict[str, StageMethod]:
        """The hooks by the methods that they wrap."""
        return {
            f"{COSMOS_STAGE}._denoise_once": self.wrap_cosmos_loop,
            f"{COSMOS_STAGE}._run_transformer": self.wrap_cosmos_call,
            f"{H3_STAGE}._run_full_loop": self.wrap_h3_loop,
            f"{H3_STAGE}._forward_dit": self.wrap_h3_call,
            f"{IDEOGRAM_STAGE}._run_ideogram_transformer": self.wrap_ideogram_call,
        }

    def wrap_cosmos_loop(self, method: StageMethod, stage: Any, batch: Any, *args: Any, **kwargs: Any) -> Any:
        """Wrap the steps of one request, or of one chunk of it."""
        with self.runner.open_loop(batch, [stage.transformer], len(batch.timesteps), stage.scheduler) as loop:
            if loop is None:
                return method(stage, batch, *args, **kwargs)
            self.cosmos_loops[id(stage)] = loop  # the call of the model does not get the request
            try:
                return method(stage, batch, *args, **kwargs)
            finally:
                del self.cosmos_loops[id(stage)]

    def wrap_cosmos_call(
        self,
        method: StageMethod,
        stage: Any,
        latents: Tensor,
        timestep: Tensor,
        *args: Any,
        cache_key: str = "default",
        current_timestep: int | None = None,
        **kwargs: Any,
    ) -> Any:
        """Wrap one call of the model; the key of its text cache names the guidance branch."""

        def run_model() -> Any:
            named = {"cache_key": cache_key, "current_timestep": current_timestep, **kwargs}
            return method(stage, latents, timestep, *args, **named)

        loop = self.cosmos_loops.get(id(stage))
        if loop is None or current_timestep is None:
            return run_model()
        cache = loop.get_transformer_cache(stage.transformer)
        cache.set_position(current_timestep, cache_key)
        return own_tensors(cache.compute_or_predict(run_model, latents, timestep))

    def wrap_h3_loop(self, method: StageMethod, stage: Any, batch: Any, server_args: Any) -> Any:
        """Wrap the steps of one request."""
        steps = len(batch.extra[H3_SIGMAS]["video"]) - 1
        with self.runner.open_loop(batch, [stage.transformer], steps):
            return method(stage, batch, server_args)

    def wrap_h3_call(
        self, method: StageMethod, stage: Any, model: Any, call_kwargs: dict[str, Any], step_index: int, **kwargs: Any
    ) -> Any:
        """Wrap one call of the model: its rows are tokens of video and sound, of one sample."""

        def run_model() -> Any:
            outputs = method(stage, model, call_kwargs, step_index, **kwargs)
            return tuple(rows[None] for rows in outputs)

        loop = find_loop(kwargs["batch"])
        if loop is None:
            return method(stage, model, call_kwargs, step_index, **kwargs)
        video_rows = call_kwargs[H3_TARGET_ROWS]["position_ids"]
        latent = call_kwargs["x"].index_select(1, video_rows)  # a copy: the buffer is written again at every step
        level = latent.new_tensor([kwargs["batch"].extra[H3_SIGMAS]["video"][step_index]])
        cache = loop.get_transformer_cache(model)
        cache.set_position(step_index, "cond")
        return tuple(rows[0] for rows in own_tensors(cache.compute_or_predict(run_model, latent, level)))

    def wrap_ideogram_call(
        self,
        method: StageMethod,
        stage: Any,
        current_model: Any,
        call_kwargs: dict[str, Any],
        llm_cond_cache: dict[str, Any],
        branch: str,
    ) -> Any:
        """Wrap one call of a model; the tokens of the image are the last ones, and only they are used.

        Both branches belong to one run, though each has a model of its own: they take the same decisions.
        """
        context = self.get_forward_context()
        loop = None if context is None else find_loop(context.forward_batch)
        if context is None or loop is None:
            return method(stage, current_model, call_kwargs, llm_cond_cache, branch)
        facts = context.forward_batch.extra[IDEOGRAM_FACTS]
        text_tokens = facts["max_text_tokens"] if branch == "positive" else 0

        def run_model() -> Any:
            return method(stage, current_model, call_kwargs, llm_cond_cache, branch)[:, text_tokens:]

        cache = loop.get_transformer_cache(stage.transformer)
        cache.set_position(context.current_timestep, branch)
        image = cache.compute_or_predict(run_model, call_kwargs["x"][:, text_tokens:], call_kwargs["t"])
        return functional.pad(image, (0, 0, text_tokens, 0))


def own_tensors(output: Any) -> Any:
    """Copy the outputs of a model with several: these loops write into them, and the cache keeps them."""
    return tuple(part.clone() for part in output) if isinstance(output, tuple) else output
