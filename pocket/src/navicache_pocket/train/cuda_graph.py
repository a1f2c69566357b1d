"""A training step recorded once as a CUDA graph: its thousands of small kernels would otherwise wait for the host."""

from collections.abc import Callable

import torch

StepFigures = dict[str, torch.Tensor]
TrainingStep = Callable[..., StepFigures]

WARM_UP_CALLS = 3


class GraphedStep:
    """Calls `training_step` with tensors of the same shapes; on a GPU it is captured as a CUDA graph after a few calls.

    `training_step` must do the whole step (forward, backward, update) and return the figures to log.
    """

    def __init__(self, training_step: TrainingStep, model: torch.nn.Module) -> None:
        """Nothing is captured yet."""
        self.training_step, self.model, self.call_count = training_step, model, 0
        self.graph: torch.cuda.CUDAGraph | None = None

    def __call__(self, *batch: torch.Tensor) -> StepFigures:
        """One step."""
        if batch[0].device.type != "cuda":
            return self.training_step(*batch)
        self.call_count += 1
        if self.call_count <= WARM_UP_CALLS:
            return self._run_on_side_stream(batch)
        graph = self.graph or self._capture_graph(batch)
        for kept, new in zip(self.captured_batch, batch, strict=True):
            kept.copy_(new)
        graph.replay()
        return self.figures

    def _run_on_side_stream(self, batch: tuple[torch.Tensor, ...]) -> StepFigures:
        """Run on a side stream, as CUDA graphs require before a capture."""
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            captured_figures = self.training_step(*batch)
        torch.cuda.current_stream().wait_stream(stream)
        return captured_figures

    def _capture_graph(self, batch: tuple[torch.Tensor, ...]) -> torch.cuda.CUDAGraph:
        self.captured_batch = tuple(tensor.clone() for tensor in batch)
        self.model.zero_grad()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.figures = self.training_step(*self.captured_batch)
        return self.graph
