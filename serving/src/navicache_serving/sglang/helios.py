"""Hooks for Helios: its stage calls the transformer itself, in a loop for each chunk, at one size or at several."""

from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from navicache_serving.sglang.denoising_loop import DenoisingLoop
from navicache_serving.sglang.hooks import StageMethod
from navicache_serving.sglang.loop_runner import LoopRunner
from navicache_serving.sglang.own_loops import STAGES

HELIOS_STAGE = f"{STAGES}.helios_denoising.HeliosChunkedDenoisingStage"


@dataclass(frozen=True)
class HeliosHooks:
    """The hooks; each takes the method it wraps, then the arguments of the call."""

    runner: LoopRunner

    def map_hooks_to_methods(self) -> dict[str, StageMethod]:
        """The hooks by the methods that they wrap."""
        names = ("_denoise_one_chunk", "_denoise_one_chunk_stage2")
        return {f"{HELIOS_STAGE}.{name}": self.wrap_chunk for name in names}

    def wrap_chunk(self, method: StageMethod, stage: Any, **kwargs: Any) -> Any:
        """Wrap the steps of one chunk. SGLang names all arguments."""
        if self.runner.read_options(kwargs["batch"]) is None:
            return method(stage, **kwargs)
        with CachedChunk(self.runner, stage, **kwargs):
            return method(stage, **kwargs)


class CachedChunk:
    """Stands for the transformer while a chunk is denoised; each size of the chunk is a run of its own."""

    def __init__(
        self, runner: LoopRunner, stage: Any, *, batch: Any, scheduler: Any, prompt_embeds: Tensor, **_: Any
    ) -> None:
        """Start before the first call; what tells the branches apart is the text they are given."""
        self._runner, self._stage_parts, self._transformer = runner, vars(stage), stage.transformer
        self._batch, self._scheduler, self._prompt_embeds = batch, scheduler, prompt_embeds
        self.patch_size = self._transformer.patch_size
        self._timesteps, self._step = None, -1
        self._loop: DenoisingLoop | None = None
        self._loops = ExitStack()  # with the one that is open

    def __enter__(self) -> None:
        """Take the transformer's place in the stage."""
        self._stage_parts["transformer"] = self

    def __exit__(self, *error: Any) -> None:
        """Give it back, and end the run."""
        self._stage_parts["transformer"] = self._transformer
        self._loops.__exit__(*error)

    def __call__(self, *, hidden_states: Tensor, timestep: Tensor, encoder_hidden_states: Tensor, **kwargs: Any) -> Any:
        """Compute or predict one call."""
        is_positive = encoder_hidden_states is self._prompt_embeds
        if self._scheduler.timesteps is not self._timesteps:
            self._start_run()
        self._step += is_positive  # it comes first in each step

        def run_model() -> Any:
            text = {"encoder_hidden_states": encoder_hidden_states}
            return self._transformer(hidden_states=hidden_states, timestep=timestep, **text, **kwargs)

        if self._loop is None:
            return run_model()
        cache = self._loop.get_transformer_cache(self._transformer)
        cache.set_position(self._step, "cond" if is_positive else "uncond")
        return cache.compute_or_predict(run_model, hidden_states, timestep)

    def _start_run(self) -> None:
        """Start with other timesteps: those of the next size, or of the chunk."""
        self._timesteps, self._step = self._scheduler.timesteps, -1
        self._loops.close()
        steps = self._scheduler.timesteps.shape[0]
        loop = self._runner.open_loop(self._batch, [self._transformer], steps, self._scheduler)
        self._loop = self._loops.enter_context(loop)
