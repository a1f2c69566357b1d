"""Site `blocks`: the model runs, but its inner blocks are computed or predicted as one."""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from navicache.engine.errors import CannotCache
from navicache.engine.run.shadow_mode import queue_true_error
from navicache.engine.sites.attention_input import capture_attention_input
from navicache.engine.sites.block_signature import (
    BlockSignature,
    OtherTokens,
    check_same_token_shape,
    check_tokens_unmodified,
)
from navicache.engine.sites.block_traversal import BlockTraversal
from navicache.engine.sites.cache_engine import CacheEngine
from navicache.engine.sites.intercepted_blocks import BlockHandler, InterceptedBlockList
from navicache.engine.sites.key_storage import stores_keys_only
from navicache.engine.sites.model_structure import ModelStructure
from navicache.engine.sites.token_residuals import TokenResiduals
from navicache.engine.tensors.compile_guards import create_compile_refusal, raise_compiled_model
from navicache.engine.tensors.containers import TENSOR_FORM, UnpackedOutput
from navicache.engine.tracking.model_call import ModelCall
from navicache.policies import Blocks


class BlockEngine(CacheEngine):
    """Caches the blocks of one model: to be called in place of its forward."""

    _refuse_compile = staticmethod(raise_compiled_model)

    def __init__(self, structure: ModelStructure, *args: Any, **options: Any) -> None:
        """Nothing is attached yet; the options are those of every engine."""
        super().__init__(*args, **options)
        site = self.scheme.site
        self.site = site if isinstance(site, Blocks) else Blocks()
        self.structure, self.block_count = structure, structure.block_count
        if self.site.first + self.site.last >= self.block_count:
            raise ValueError(
                f"{self.site.first} first and {self.site.last} last blocks always run, and {self.block_count} is all "
                "there are: nothing is left to reuse"
            )
        self.block_signatures: dict[type[nn.Module], BlockSignature] = {}
        self.traversal: BlockTraversal | None = None
        self.residuals = TokenResiduals()
        self._handles: list[Any] = []

    def attach(self) -> None:
        """Put stand-ins for the lists of blocks into the model."""
        self._refuse_compile = create_compile_refusal()
        for name, own in self.structure.block_lists.items():
            setattr(self.structure.model, name, InterceptedBlockList(own, self._find_block_handler))
        if isinstance(self.scheme.signal, str) and self.scheme.signal.startswith("time"):
            self._handles.append(self._hook_signal_module(self.scheme.signal))

    def detach(self) -> None:
        """Put the model's own lists back."""
        for name, own in self.structure.block_lists.items():
            setattr(self.structure.model, name, own)
        while self._handles:
            self._handles.pop().remove()

    def __call__(self, forward: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """The model's forward, with its blocks going through this engine."""
        if torch.compiler.is_compiling():
            self._refuse_compile()
        if stores_keys_only(kwargs):
            return forward(*args, **kwargs)
        self.call_guard.enter()
        try:
            self.traversal = traversal = BlockTraversal(self.reader.read_call(args, kwargs), self.describe_call())
            output = forward(*args, **kwargs)
            if traversal.block_index + 1 != self.block_count:
                raise CannotCache(
                    f"the model called {traversal.block_index + 1} of its {self.block_count} blocks: name the right "
                    "lists with enable(..., blocks=(...)), or use a policy at the site of the whole model"
                )
            self.close_complete_run()
            self.call_guard.raise_if_disturbed()
        except BaseException:
            self.abort_run()
            raise
        finally:
            self.traversal = None
            self.call_guard.leave()
        return output

    def _find_block_handler(self) -> BlockHandler | None:
        return None if self.traversal is None else self._run_block

    def _run_block(self, block: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run one block; inside the site of a predicted step, pass on the predicted tokens instead."""
        traversal = self.traversal
        if traversal is None:
            return block(*args, **kwargs)
        signature = self.block_signatures.setdefault(type(block), BlockSignature.from_block(block))
        hidden, others = signature.read_tokens(args, kwargs)
        index = traversal.advance_block(hidden)
        if not self.site.first <= index < self.block_count - self.site.last:
            return block(*args, **kwargs)
        if index == self.site.first:
            traversal.set_site_call(block, args, kwargs, others)
            with torch.no_grad():
                hidden, others = self._enter_site(traversal, hidden)
        if traversal.prediction is not None and self.shadow is None:
            return signature.pack_result(hidden, others)
        self._check_block_input(traversal, hidden)
        result = block(*args, **kwargs)
        if signature.result_positions is None:
            signature = self.block_signatures[type(block)] = signature.with_result_positions(
                result, hidden, others, self.structure.token_positions.get(type(block))
            )
        traversal.set_output(signature.split_result(result)[0])
        if index < self.block_count - self.site.last - 1:
            return result
        with torch.no_grad():
            return self._leave_site(traversal, signature, result)

    def _check_block_input(self, traversal: BlockTraversal, hidden: Tensor) -> None:
        """At the first step of a run: a block must be handed what the one before returned, and nothing else."""
        before = traversal.last_output
        if before is not None and before is not hidden and not self.tracker.local_index:
            check_tokens_unmodified(before, hidden)

    def _enter_site(self, traversal: BlockTraversal, hidden: Tensor) -> tuple[Tensor, OtherTokens]:
        """Decide at the first block of the site; return its tokens, or the predicted ones."""
        call = traversal.call._replace(latent=(hidden,), is_latent_list=False, other_latents=())
        run, name = self.place_and_decide(call, traversal.call_facts)
        if run.bypass_reason:
            return hidden, traversal.site_others
        work = run.plan_work(self.tracker.local_index, name, call)
        if work is not None:
            traversal.set_work(work)
            return hidden, traversal.site_others
        tokens, others = run.predict_output(name, call), self.residuals.predict_tokens(name, traversal.site_others)
        traversal.set_prediction(tokens, others)
        return tokens, others

    def _leave_site(self, traversal: BlockTraversal, signature: BlockSignature, result: Any) -> Any:
        """After the last block of the site: keep what was computed."""
        hidden, others = signature.split_result(result)
        work, run = traversal.work, self.run
        if work is not None and run is not None:
            hidden = hidden[:, -work.latent[0].shape[1] :]  # where text was put before the video, as in Flux 2
            check_same_token_shape(work.latent[0], hidden)
            self.observe_site_output(work.latent[0], hidden)
            run.store_result(work, hidden, self.tracker.position, None, self.is_leading_call)
            self.residuals.queue_sound_error(run, self.tracker, traversal.site_others, others)
            self.residuals.set_residuals(work.stream, traversal.site_others, others)
        elif traversal.prediction is not None and run is not None:  # in shadow mode
            made, exact = (UnpackedOutput((tokens,), TENSOR_FORM) for tokens in (traversal.prediction, hidden))
            queue_true_error(run, self.tracker, made, exact)
            self.residuals.queue_sound_error(run, self.tracker, traversal.site_others, others)
            predicted = traversal.prediction, traversal.predicted_others
            return signature.pack_result(*predicted) if self.shadow == "cached" else result
        return result

    def observe_site_output(self, before: Tensor, after: Tensor) -> None:
        """Observe the input and output of the site; for subclasses that measure."""

    def release_site_tensors(self) -> None:
        """What was added to text and sound belongs to the run."""
        self.residuals = TokenResiduals()

    def compute_signal(self, call: ModelCall, sigma: float | None) -> Tensor:
        """What the gate watches, from inside the blocks."""
        traversal, kind = self.traversal, self.scheme.signal
        if traversal is None or traversal.site_call is None or not isinstance(kind, str):
            return super().compute_signal(call, sigma)
        if kind == "modulated":
            return capture_attention_input(*traversal.site_call)
        if kind == "first_residual":
            begun = call.latent[0] if traversal.first_input is None else traversal.first_input
            check_same_token_shape(begun, call.latent[0])
            return call.latent[0] - begun
        return traversal.signals[kind]

    def _hook_signal_module(self, kind: str) -> Any:
        """Register a hook on the submodule whose output is the signal."""
        if kind not in self.structure.signal_modules:
            raise ValueError(
                f"it is not known where {type(self.structure.model).__name__} embeds its time: use signal='modulated'"
            )

        def capture_output(_: nn.Module, __: tuple[Any, ...], output: Tensor) -> None:
            if self.traversal is not None:
                self.traversal.capture_signal(kind, output.detach())

        module = self.structure.model.get_submodule(self.structure.signal_modules[kind])
        return module.register_forward_hook(capture_output)
