"""One kind of modules inside a model: which they are, when they compute, and what of them is kept."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from torch import Tensor, nn

from navicache.engine.decide.deciders import Deciders
from navicache.engine.decide.recorder import Recorder
from navicache.engine.predict.stream import NOTHING, Keep, Stream
from navicache.engine.sites.anatomy import Anatomy
from navicache.engine.tensors.containers import Output
from navicache.engine.tensors.fit import Fit
from navicache.engine.tracking.batch import Batch
from navicache.engine.tracking.tracker import Moment
from navicache.policies import Modules, Scheme, Verdict, Weights

# Names of a block's own children, in every transformer that is known.
CHILD_NAMES: Mapping[str, tuple[str, ...]] = {
    "self_attention": ("attn1", "attn", "self_attn"),
    "cross_attention": ("attn2", "cross_attn"),
    "mlp": ("ff", "ffn", "mlp", "ff_context"),
}


def find_modules(anatomy: Anatomy, site: Modules) -> dict[str, nn.Module]:
    """The modules of one kind, by name; blocks in lists called temporal have temporal attention."""
    found: dict[str, nn.Module] = {}
    for list_name, blocks in anatomy.lists.items():
        temporal = list_name.startswith("temporal")
        if site.kind == "temporal_attention" or (site.kind == "self_attention" and temporal):
            names = CHILD_NAMES["self_attention"] if temporal and site.kind == "temporal_attention" else ()
        else:
            names = CHILD_NAMES[site.kind]
        for place, block in enumerate(nn.ModuleList.__iter__(blocks)):
            if site.blocks is None or place in site.blocks:
                children = dict(block.named_children())
                found |= {f"{list_name}.{place}.{name}": children[name] for name in names if name in children}
    return found


class Kept(NamedTuple):
    """What is kept of one module, for one stream."""

    streams: list[Stream]  # one for each tensor it returns
    bare: bool  # it returns a tensor, not a tuple

    def predicted(self, weights: list[Weights]) -> Any:
        """Its output, as it would return it."""
        outputs = [stream.predict(stream.history[0][1], weights, Fit())[0] for stream in self.streams]
        return outputs[0] if self.bare else tuple(outputs)


@dataclass
class Part:
    """One scheme: its modules, and its decisions in the run at hand."""

    scheme: Scheme
    kind: str
    modules: dict[str, nn.Module]
    keep: Keep
    verdict: Verdict = Verdict(True, "schedule")
    batch: Batch = field(default_factory=lambda: Batch(1, settled=True))  # all rows decide together
    kept: dict[tuple[str, str], Kept] = field(default_factory=dict)  # by stream and module
    recorder: Recorder = field(init=False)  # of these decisions alone: the engine's own says what came of all of them
    deciders: Deciders = field(init=False)

    def __post_init__(self) -> None:
        """Before the first run."""
        self.drop()

    def drop(self) -> None:
        """A run is over: nothing is kept, and every decider starts from nothing."""
        self.kept, self.recorder = {}, Recorder(self.scheme.gate)
        self.deciders = Deciders(self.scheme, self.recorder, self.batch)

    def decide(self, moment: Moment, stream: str, leads: bool, elements: int) -> None:
        """The verdict on this step, where it is not the leader's."""
        if leads:
            self.recorder.begin_step(moment.index, moment.total, None)
        if leads or not self.deciders.lead:
            decider = self.deciders.of(stream)
            (self.verdict,) = decider.decide(moment, stream, elements, True)
            if self.verdict.compute:
                decider.computed(moment.own_index, (0,))

    def predicted(self, stream: str, module: str) -> Any:
        """What a module is predicted to return; None where it is to be computed."""
        kept, decider = self.kept.get((stream, module)), self.deciders.of(stream)
        if self.verdict.compute or kept is None or not decider.serves(0, kept.streams[0].computed_at[0]):
            return None
        return kept.predicted(decider.weights(kept.streams[0].computed_at))

    def keep_result(self, stream: str, module: str, result: Any, own_index: int) -> None:
        """Keep what a module has returned."""
        bare, order = isinstance(result, Tensor), self.scheme.predictor.order
        tensors: tuple[Tensor, ...] = (result,) if bare else result
        if (stream, module) not in self.kept:
            self.kept[stream, module] = Kept([Stream(order, self.keep, self.batch) for _ in tensors], bare)
        for each, tensor in zip(self.kept[stream, module].streams, tensors, strict=True):
            each.remember(NOTHING, Output((tensor,), tuple), None, NOTHING, shared=True)
            each.computed(own_index, (0,))
