"""The cache of one transformer within a loop."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from navicache.engine import CallFacts, CallReader, CannotCache, FallbackPolicy, ModelEngine, RankGroup
from navicache.models import CallSpec
from navicache.policies import Policy

CALL_SPEC = CallSpec(latent=0, time=1, conditioning=())  # branches are identified by name, not by conditioning


class TransformerCache:
    """An engine and the position of the next call; SGLang provides step and guidance branch."""

    def __init__(
        self,
        policy: Policy,
        model_class: str,
        call_facts: CallFacts,
        find_ranks: Callable[[], RankGroup | None],
        fallback: FallbackPolicy | None = None,
    ) -> None:
        """Start before the first call; `call_facts` has the number of steps and a token of the loop."""
        about = {
            "model": model_class,
            "call": CALL_SPEC,
            "describe_call": self._describe_call,
            "find_ranks": find_ranks,
            "fallback": fallback,
        }
        self.engine = ModelEngine(policy, CallReader(CALL_SPEC, None), **about)
        self._call_facts = call_facts
        self._branch_call_counts: Counter[str] = Counter()  # in this step
        self.refusal = ""  # why the model cannot be cached

    def _describe_call(self) -> CallFacts:
        return self._call_facts

    def set_position(self, step: int, branch: str) -> None:
        """Set step and branch of the next call; a repeated call of a branch in one step is a new branch."""
        if step != self._call_facts.index:
            self._branch_call_counts = Counter()
        self._branch_call_counts[branch] += 1
        times = self._branch_call_counts[branch]
        self._call_facts = self._call_facts._replace(stream=branch if times == 1 else f"{branch}#{times}", index=step)

    def compute_or_predict(self, run_model: Callable[[], Any], latent: Tensor, timestep: Tensor) -> Any:
        """Return the output of the model, computed or predicted.

        A batch is computed as a whole, because a compiled model and a CUDA graph have one shape: if some samples are
        computed, all get the computed output. A model that cannot be cached runs at every step: a setting of the
        server must not fail a request.
        """
        if self.refusal:
            return run_model()
        computed: list[Any] = []

        def forward(x: Tensor, t: Tensor, rows: Tensor) -> Any:
            del x, t
            computed.append(run_model())
            return select_rows(computed[0], rows, latent.shape[0])

        rows = torch.arange(latent.shape[0])
        try:
            output = self.engine(forward, (latent, timestep, rows), {})
        except CannotCache as error:
            self.refusal = str(error)
        return computed[0] if computed else run_model() if self.refusal else output


def select_rows(output: Any, rows: Tensor, batch_size: int) -> Any:
    """Select rows of an output, which is a tensor or a tuple of tensors."""
    if rows.shape[0] == batch_size:
        return output
    return tuple(part[rows] for part in output) if isinstance(output, tuple) else output[rows]
