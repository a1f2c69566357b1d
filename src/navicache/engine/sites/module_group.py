"""One kind of modules inside a model: which they are, when they compute, and what of them is kept."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from torch import Tensor, nn

from navicache.engine.decide.deciders import StreamDeciders
from navicache.engine.decide.trace_recorder import TraceRecorder
from navicache.engine.predict.storage_options import StorageOptions
from navicache.engine.predict.stream_cache import StreamCache
from navicache.engine.sites.model_structure import ModelStructure
from navicache.engine.tensors.rows import NO_ROWS
from navicache.engine.tensors.shared_channels import SharedChannels
from navicache.engine.tracking.batch_samples import BatchSamples
from navicache.engine.tracking.run_tracker import StepPosition
from navicache.policies import Decision, Modules, PredictionWeights, Scheme

# Names of a block's own children, in every transformer that is known.
CHILD_MODULE_NAMES: Mapping[str, tuple[str, ...]] = {
    "self_attention": ("attn1", "attn", "self_attn"),
    "cross_attention": ("attn2", "cross_attn"),
    "mlp": ("ff", "ffn", "mlp", "ff_context"),
}


def find_modules(structure: ModelStructure, site: Modules) -> dict[str, nn.Module]:
    """The modules of one kind, by name; blocks in lists called temporal have temporal attention."""
    found: dict[str, nn.Module] = {}
    for list_name, blocks in structure.block_lists.items():
        temporal = list_name.startswith("temporal")
        if site.kind == "temporal_attention" or (site.kind == "self_attention" and temporal):
            names = CHILD_MODULE_NAMES["self_attention"] if temporal and site.kind == "temporal_attention" else ()
        else:
            names = CHILD_MODULE_NAMES[site.kind]
        for place, block in enumerate(nn.ModuleList.__iter__(blocks)):
            if site.blocks is None or place in site.blocks:
                children = dict(block.named_children())
                found |= {f"{list_name}.{place}.{name}": children[name] for name in names if name in children}
    return found


class ModuleCache(NamedTuple):
    """What is kept of one module, for one stream."""

    tensor_caches: list[StreamCache]  # one for each tensor it returns
    returns_tensor: bool  # it returns a tensor, not a tuple

    def predict_output(self, weights: list[PredictionWeights]) -> Any:
        """Its output, as it would return it."""
        pairs = ((stream, stream.history[0][1]) for stream in self.tensor_caches)
        outputs = [stream.predict_output(newest, weights, SharedChannels())[0] for stream, newest in pairs]
        return outputs[0] if self.returns_tensor else tuple(outputs)


@dataclass
class ModuleGroup:
    """One scheme: its modules, and its decisions in the run at hand."""

    scheme: Scheme
    module_kind: str
    modules: dict[str, nn.Module]
    storage: StorageOptions
    decision: Decision = Decision(True, "schedule")
    # All rows decide together.
    batch: BatchSamples = field(default_factory=lambda: BatchSamples(1, is_layout_known=True))
    caches: dict[tuple[str, str], ModuleCache] = field(default_factory=dict)  # by stream and module
    recorder: TraceRecorder = field(init=False)  # of these decisions alone: the engine's own has all of them
    deciders: StreamDeciders = field(init=False)

    def __post_init__(self) -> None:
        """Before the first run."""
        self.reset_run()

    def reset_run(self) -> None:
        """A run is over: nothing is kept, and every decider starts from nothing."""
        self.caches, self.recorder = {}, TraceRecorder(self.scheme.gate)
        self.deciders = StreamDeciders(self.scheme, self.recorder, self.batch)

    def decide_step(self, position: StepPosition, stream: str, is_leading: bool, elements: int) -> None:
        """The verdict on this step, where it is not the leader's."""
        if is_leading:
            self.recorder.begin_step(position.index, position.total, None)
        if is_leading or not self.deciders.leader_decides:
            decider = self.deciders.get_or_create(stream)
            (self.decision,) = decider.decide_samples(position, stream, elements, True)
            if self.decision.compute:
                decider.mark_computed(position.local_index, (0,))

    def predict_output(self, stream: str, module: str) -> Any:
        """What a module is predicted to return; None where it is to be computed."""
        kept, decider = self.caches.get((stream, module)), self.deciders.get_or_create(stream)
        if self.decision.compute or kept is None or not decider.can_predict(0, kept.tensor_caches[0].computed_steps[0]):
            return None
        return kept.predict_output(decider.compute_weights(kept.tensor_caches[0].computed_steps))

    def store_result(self, stream: str, module: str, result: Any, local_index: int) -> None:
        """Keep what a module has returned."""
        bare, order = isinstance(result, Tensor), self.scheme.predictor.history_length
        tensors: tuple[Tensor, ...] = (result,) if bare else result
        if (stream, module) not in self.caches:
            empty = [StreamCache(order, self.storage, self.batch) for _ in tensors]
            self.caches[stream, module] = ModuleCache(empty, bare)
        for each, tensor in zip(self.caches[stream, module].tensor_caches, tensors, strict=True):
            each.store_step(NO_ROWS, (tensor,), None, NO_ROWS, shares_latent=True)
            each.mark_computed(local_index, (0,))
