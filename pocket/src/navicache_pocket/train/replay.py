"""A training step recorded once as a CUDA graph: its thousands of small kernels would otherwise wait for the host."""

from collections.abc import Callable

import torch

Figures = dict[str, torch.Tensor]
Learn = Callable[..., Figures]

WARM_UP = 3


class Replay:
    """Calls `learn` with tensors of the same shapes; on a GPU it is run a few times, recorded, and then replayed.

    `learn` must do the whole step (forward, backward, update) and return the figures to log.
    """

    def __init__(self, learn: Learn, model: torch.nn.Module) -> None:
        """Record nothing yet."""
        self.learn, self.model, self.calls = learn, model, 0
        self.graph: torch.cuda.CUDAGraph | None = None

    def __call__(self, *batch: torch.Tensor) -> Figures:
        """One step."""
        if batch[0].device.type != "cuda":
            return self.learn(*batch)
        self.calls += 1
        if self.calls <= WARM_UP:
            return self._aside(batch)
        graph = self.graph or self._record(batch)
        for kept, new in zip(self.batch, batch, strict=True):
            kept.copy_(new)
        graph.replay()
        return self.figures

    def _aside(self, batch: tuple[torch.Tensor, ...]) -> Figures:
        """On a stream of its own, as recording asks of the runs before it."""
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            figures = self.learn(*batch)
        torch.cuda.current_stream().wait_stream(stream)
        return figures

    def _record(self, batch: tuple[torch.Tensor, ...]) -> torch.cuda.CUDAGraph:
        self.batch = tuple(tensor.clone() for tensor in batch)
        self.model.zero_grad()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.figures = self.learn(*self.batch)
        return self.graph
