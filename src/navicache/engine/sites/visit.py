"""One call of a model whose blocks go through an engine: how far it has come, and what was found on the way."""

from dataclasses import dataclass, field
from typing import Any

from torch import Tensor, nn

from navicache.engine.run.teaching import Work
from navicache.engine.tracking.call import Call
from navicache.engine.tracking.placement import Host


@dataclass
class Visit:
    """One call of the model, from its first block to its last."""

    call: Call
    host: Host
    place: int = -1  # of the newest block
    begun: Tensor | None = None  # what the first block was handed
    leader: tuple[nn.Module, tuple[Any, ...], dict[str, Any]] | None = None  # the first block of the site, and its call
    text: Tensor | None = None  # what the site was handed, beside the video's tokens
    captured: dict[str, Tensor] = field(default_factory=dict)
    work: Work | None = None
    predicted: Tensor | None = None
    after: Tensor | None = None  # what the block before has made of the tokens

    def go_on(self, hidden: Tensor) -> int:
        """One more block is called: its place."""
        self.place += 1
        if self.place == 0:
            self.begun = hidden
        return self.place

    def arrive(self, block: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], text: Tensor | None) -> None:
        """This is the first block of the site."""
        self.leader, self.text = (block, args, kwargs), text

    def hear(self, kind: str, signal: Tensor) -> None:
        """A signal, from the submodule that makes it."""
        self.captured[kind] = signal

    def compute(self, work: Work) -> None:
        """The site is to be computed."""
        self.work = work

    def predict(self, tokens: Tensor) -> None:
        """The site is predicted: these tokens come out of it."""
        self.predicted = tokens

    def came_out(self, tokens: Tensor) -> None:
        """A block has made this of the tokens."""
        self.after = tokens
