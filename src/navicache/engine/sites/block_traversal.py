"""One call of a model whose blocks go through an engine: the current block, and what was captured."""

from dataclasses import dataclass, field
from typing import Any

from torch import Tensor, nn

from navicache.engine.run.outcome_measurement import ComputeWork
from navicache.engine.sites.block_signature import OtherTokens
from navicache.engine.tracking.model_call import ModelCall
from navicache.engine.tracking.placement import CallFacts


@dataclass
class BlockTraversal:
    """One call of the model, from its first block to its last."""

    call: ModelCall
    call_facts: CallFacts
    block_index: int = -1  # of the newest block
    first_input: Tensor | None = None  # what the first block was handed
    # The first block of the site, and its call.
    site_call: tuple[nn.Module, tuple[Any, ...], dict[str, Any]] | None = None
    site_others: OtherTokens = field(default_factory=dict)  # what the site was handed, beside the video's tokens
    signals: dict[str, Tensor] = field(default_factory=dict)
    work: ComputeWork | None = None
    prediction: Tensor | None = None
    predicted_others: OtherTokens = field(default_factory=dict)
    last_output: Tensor | None = None  # what the block before has made of the tokens

    def advance_block(self, hidden: Tensor) -> int:
        """Move to the next block; return its index."""
        self.block_index += 1
        if self.block_index == 0:
            self.first_input = hidden
        return self.block_index

    def set_site_call(
        self, block: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], others: OtherTokens
    ) -> None:
        """This is the first block of the site."""
        self.site_call, self.site_others = (block, args, kwargs), others

    def capture_signal(self, kind: str, signal: Tensor) -> None:
        """Store a signal, from the submodule whose output it is."""
        self.signals[kind] = signal

    def set_work(self, work: ComputeWork) -> None:
        """Set the work: the site is computed in this call."""
        self.work = work

    def set_prediction(self, tokens: Tensor, others: OtherTokens) -> None:
        """Set the predicted output of the site."""
        self.prediction, self.predicted_others = tokens, others

    def set_output(self, tokens: Tensor) -> None:
        """Set the output of the newest block."""
        self.last_output = tokens
