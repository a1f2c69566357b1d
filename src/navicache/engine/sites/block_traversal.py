"""One call of a model whose blocks go through an engine: how far it has come, and what was found on the way."""

from dataclasses import dataclass, field
from typing import Any

from torch import Tensor, nn

from navicache.engine.run.outcome_measurement import ComputeWork
from navicache.engine.tracking.model_call import ModelCall
from navicache.engine.tracking.placement import CallFacts


@dataclass
class BlockTraversal:
    """One call of the model, from its first block to its last."""

    call: ModelCall
    call_facts: CallFacts
    block_index: int = -1  # of the newest block
    first_input: Tensor | None = None  # what the first block was handed
    site_call: tuple[nn.Module, tuple[Any, ...], dict[str, Any]] | None = (
        None  # the first block of the site, and its call
    )
    site_text: Tensor | None = None  # what the site was handed, beside the video's tokens
    signals: dict[str, Tensor] = field(default_factory=dict)
    work: ComputeWork | None = None
    prediction: Tensor | None = None
    last_output: Tensor | None = None  # what the block before has made of the tokens

    def advance_block(self, hidden: Tensor) -> int:
        """One more block is called: its place."""
        self.block_index += 1
        if self.block_index == 0:
            self.first_input = hidden
        return self.block_index

    def set_site_call(
        self, block: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], text: Tensor | None
    ) -> None:
        """This is the first block of the site."""
        self.site_call, self.site_text = (block, args, kwargs), text

    def capture_signal(self, kind: str, signal: Tensor) -> None:
        """A signal, from the submodule that makes it."""
        self.signals[kind] = signal

    def set_work(self, work: ComputeWork) -> None:
        """The site is to be computed."""
        self.work = work

    def set_prediction(self, tokens: Tensor) -> None:
        """The site is predicted: these tokens come out of it."""
        self.prediction = tokens

    def set_output(self, tokens: Tensor) -> None:
        """A block has made this of the tokens."""
        self.last_output = tokens
