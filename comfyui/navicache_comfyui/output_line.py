"""The line through a branch's two newest computed outputs, for evaluations that look ahead of the sampler's course."""

from torch import Tensor

FARTHEST = 3  # levels: two that a sampler looks ahead, and one that was predicted


class OutputLine:
    """The outputs at the two newest noise levels, extended in float32 as every prediction is.

    Example:
        >>> import torch
        >>> line = OutputLine()
        >>> line.add(4, 0.5, torch.tensor([1.0]))
        >>> line.add(5, 0.4, torch.tensor([3.0]))
        >>> line.extend(7, 0.2)
        tensor([7.])
    """

    def __init__(self) -> None:
        """Start without outputs."""
        self._points: dict[int, tuple[float, Tensor]] = {}  # by level

    def add(self, level: int, sigma: float, output: Tensor) -> None:
        """Add a computed output; of a level the newest counts."""
        self._points[level] = sigma, output
        self._points = {key: self._points[key] for key in sorted(self._points)[-2:]}

    def extend(self, level: int, sigma: float) -> Tensor | None:
        """The output that the line has at a level; None with fewer than two outputs, or too far from them."""
        if len(self._points) < 2 or level - max(self._points) > FARTHEST:
            return None
        (before, earlier), (now, newest) = self._points.values()
        return newest.float() + (newest.float() - earlier.float()) * ((sigma - now) / (now - before))
