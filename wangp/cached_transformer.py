"""One transformer with an engine in front of its forward, for one generation."""

from collections.abc import Callable, Mapping
from typing import Any

from torch import nn

from navicache.engine import CallFacts, CallReader, ModelEngine
from navicache.integrations.attachments import ModuleAttachment, get_forward_signature
from navicache.integrations.rank_groups import get_class_name
from navicache.records import Trace

from .run_settings import RunPolicy, find_model_spec

STEP_ARGUMENT = "current_step_no"  # of WanGP's transformers, if they have it: the step of the sampling loop


class InterruptedCall(Exception):
    """A transformer that was interrupted returns nothing: no tensor to keep, and no reason to predict on."""


class InterruptibleEngine(ModelEngine):
    """Ends the run if the user interrupts it."""

    def __call__(self, forward: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """Compute or predict; what an interrupted transformer returns is passed on."""
        returned: Any = None

        def run_model(*model_args: Any, **model_kwargs: Any) -> Any:
            nonlocal returned
            returned = forward(*model_args, **{name: copy_list(value) for name, value in model_kwargs.items()})
            if isinstance(returned, list) and any(part is None for part in returned):
                raise InterruptedCall
            return returned

        try:
            return super().__call__(run_model, args, kwargs)
        except InterruptedCall:
            return returned


def copy_list(value: Any) -> Any:
    """Copy a list of arguments: WanGP's transformers empty the one they get."""
    return list(value) if isinstance(value, list) else value


class CachedTransformer:
    """Caches one transformer until `detach`; each of two experts has one."""

    def __init__(self, model: nn.Module, run_policy: RunPolicy, steps: int | None) -> None:
        """Attach to this instance, above what WanGP has put around its forward."""
        self._facts, signature = CallFacts(total=steps), get_forward_signature(model)
        call, name = find_model_spec(model).call, get_class_name(model)
        about = {"model": name, "call": call, "describe_call": self._describe_call, "find_ranks": lambda: None}
        about["fallback"] = run_policy.fallback
        self._engine = InterruptibleEngine(run_policy.policy, CallReader(call, signature), **about)
        self._attachment = ModuleAttachment(model, self._engine)
        has_step = signature is not None and STEP_ARGUMENT in signature.parameters
        self._step_reader = model.register_forward_pre_hook(self._read_step, with_kwargs=True) if has_step else None

    def _read_step(self, _: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Take the step from a call. WanGP counts the steps of both experts together."""
        del args
        self._facts = self._facts._replace(index=kwargs.get(STEP_ARGUMENT))

    def _describe_call(self) -> CallFacts:
        return self._facts

    def end(self) -> Trace:
        """End the run and return what was recorded."""
        self._engine.end_run("generation over")
        return self._engine.trace

    def detach(self) -> None:
        """Restore the transformer; a second call has no effect."""
        self._attachment.detach()
        if self._step_reader is not None:
            self._step_reader.remove()
            self._step_reader = None
