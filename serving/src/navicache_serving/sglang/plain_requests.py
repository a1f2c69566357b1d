"""Warn of requests that asked for the cache and got none, because no stage called its model where a hook is."""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from navicache_serving.sglang.hooks import StageMethod
from navicache_serving.sglang.loop_runner import LoopRunner

logger = logging.getLogger("sglang.navicache")
EXECUTOR_CLASS = "sglang.multimodal_gen.runtime.pipelines_core.executors.pipeline_executor.PipelineExecutor"
DENOISING_ROLES = ("MONOLITHIC", "DENOISER")  # of a process; the others have no loop


@dataclass(frozen=True)
class ExecutionHooks:
    """The hooks around a pipeline's run; each takes the method it wraps, then the arguments of the call."""

    runner: LoopRunner
    warned_pipelines: set[tuple[str, ...]] = field(default_factory=set[tuple[str, ...]])  # by their stages

    def map_hooks_to_methods(self) -> dict[str, StageMethod]:
        """The hooks by the methods that they wrap."""
        return {
            f"{EXECUTOR_CLASS}.execute_with_profiling": self.wrap_run,
            f"{EXECUTOR_CLASS}.execute_group_with_profiling": self.wrap_run,
            f"{EXECUTOR_CLASS}.execute_group_sequentially_with_profiling": self.wrap_sequence,
        }

    def wrap_run(self, method: StageMethod, executor: Any, stages: Any, batches: Any, server_args: Any) -> Any:
        """Wrap the run of one request, or of several together; wrong settings raise a ValueError before it."""
        before = self._count_loops(batches)
        result = method(executor, stages, batches, server_args)
        self._check_loops(before, stages, batches, server_args)
        return result

    def wrap_sequence(
        self, method: StageMethod, executor: Any, stages: Any, batches: Any, server_args: Any
    ) -> Iterator[Any]:
        """Wrap the run of several requests, one after the other."""
        before = self._count_loops(batches)
        yield from method(executor, stages, batches, server_args)
        self._check_loops(before, stages, batches, server_args)

    def _count_loops(self, batches: Any) -> int:
        """The loops so far; raises ValueError for wrong settings."""
        self._asks_for_cache(batches)
        return self.runner.called_loops

    def _asks_for_cache(self, batches: Any) -> bool:
        options = [self.runner.read_options(each) for each in (batches if isinstance(batches, list) else [batches])]
        return any(each is not None for each in options)

    def _check_loops(self, before: int, stages: Sequence[Any], batches: Any, server_args: Any) -> None:
        """Warn if no loop was added; once for each pipeline, then inform."""
        is_denoising = server_args.disagg_role.name in DENOISING_ROLES
        if self.runner.called_loops > before or not is_denoising or not self._asks_for_cache(batches):
            return
        names = tuple(type(stage).__name__ for stage in stages)
        logger.log(
            logging.INFO if names in self.warned_pipelines else logging.WARNING,
            "nothing was cached: every step was computed, because none of the stages %s calls its model in a way that "
            "this plug-in knows",
            ", ".join(names),
        )
        self.warned_pipelines.add(names)
