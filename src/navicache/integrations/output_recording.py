"""Record every output of a pipeline's model, to calibrate `l2p` and `meancache`."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor

from navicache.engine import CallReader, ModelEngine
from navicache.engine.tensors.containers import unpack_output
from navicache.integrations.pipeline_probe import attach_to_pipeline
from navicache.policies import IndexGate, OutputHold, Scheme


@dataclass(frozen=True)
class RecordingPolicy:
    """A policy that computes every step."""

    name: ClassVar[str] = "calibration"
    align_steps: int = 0

    def schemes(self) -> tuple[Scheme, ...]:
        """One scheme that replaces nothing."""
        return (Scheme("model", IndexGate(), OutputHold(), False, None),)


class OutputRecorder(ModelEngine):
    """An engine that changes nothing and keeps all outputs of the newest run."""

    def __init__(self, *args: Any, **options: Any) -> None:
        """Start without outputs."""
        super().__init__(*args, **options)
        self.outputs_by_branch: dict[str, list[Tensor]] = {}  # by guidance branch, step by step

    def __call__(self, forward: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """Run the model's forward and keep its output."""
        result = super().__call__(forward, args, kwargs)
        if self.tracker.local_index == 0 and len(self.tracker.called_streams) == 1:
            self.outputs_by_branch = {}
        with torch.no_grad():
            rows = unpack_output(result, self.call.output, False).rows
            kept = torch.cat([chunk.detach().float().flatten() for chunk in rows])
        self.outputs_by_branch.setdefault(self.tracker.called_streams[-1], []).append(kept)
        return result


def record_outputs(pipeline: Any) -> AbstractContextManager[OutputRecorder]:
    """Record the outputs of a diffusers pipeline's transformer while it generates."""

    def build(_: Any, reader: CallReader, **about: Any) -> OutputRecorder:
        return OutputRecorder(RecordingPolicy(), reader, **about)

    return attach_to_pipeline(pipeline, build)
