"""Site `model`: the whole call is computed or predicted."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import torch

from navicache.engine.run.outcome_measurement import ComputeWork
from navicache.engine.run.run_state import RunState
from navicache.engine.run.shadow_mode import find_predicted_samples, queue_true_error
from navicache.engine.sites.cache_engine import CacheEngine
from navicache.engine.sites.call_readings import Forward
from navicache.engine.sites.key_storage import stores_keys_only
from navicache.engine.tensors.call_arguments import select_argument_rows
from navicache.engine.tensors.compile_guards import call_directly, create_uncompiled_caller
from navicache.engine.tensors.containers import unpack_output

NO_GRADIENT_NOTE = "a gradient was asked for, and reused steps have none: disable the cache where you need gradients"


class CallPlan(NamedTuple):
    """What to do in one call: call the model with these arguments, or return the prediction."""

    calls_model: bool  # the model is called, with these arguments
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = {}
    run: RunState | None = None  # what is to learn from its output; None where the run is left alone
    work: ComputeWork | None = None
    output: Any = None  # the prediction, where the model is not called


class ModelEngine(CacheEngine):
    """Caches one model: to be called in place of its forward."""

    _call_uncompiled = staticmethod(call_directly)

    def attach(self) -> None:
        """A module may be compiled as a whole, now or later."""
        self._call_uncompiled = create_uncompiled_caller()

    def detach(self) -> None:
        """The model's inside was not touched: there is nothing to put back."""

    def release_site_tensors(self) -> None:
        """All that is kept is the run's own."""

    def __call__(self, forward: Forward, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """Compute or predict what `forward` would return.

        Under torch.compile the graph breaks before and after `forward`, which is one graph.
        """
        if stores_keys_only(kwargs):
            return forward(*args, **kwargs)
        self._call_uncompiled(self.call_guard.enter)
        try:
            task: CallPlan = self._call_uncompiled(self._plan_without_grad, args, kwargs)
            output = forward(*task.args, **task.kwargs) if task.calls_model else task.output
            if task.work is not None:
                output = self._call_uncompiled(self._store_result, task, output)
            if self.shadow is not None and self._call_uncompiled(self._has_predicted_samples):
                truth = forward(*args, **kwargs)
                output = self._call_uncompiled(self._compare_with_truth, output, truth, args, kwargs)
            self._call_uncompiled(self.close_complete_run)
            self._call_uncompiled(self.call_guard.raise_if_disturbed)
        except BaseException:
            self._call_uncompiled(self.abort_run)
            raise
        finally:
            self._call_uncompiled(self.call_guard.leave)
        return output

    def _plan_without_grad(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> CallPlan:
        if torch.is_grad_enabled():
            with torch.no_grad():
                plan = self._plan_call(args, kwargs)
            if not plan.calls_model and self._needs_gradient(args, kwargs):
                self.recorder.add_note(NO_GRADIENT_NOTE)
            return plan
        return self._plan_call(args, kwargs)  # entering no_grad costs more than asking whether it is needed

    def _needs_gradient(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool:
        call = self.reader.read_call(args, kwargs)
        return any(tensor.requires_grad for tensor in (*call.latent, *call.conditioning))

    def _plan_call(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> CallPlan:
        """One step, in order: read the call, find its place and decide, then compute what is to be computed."""
        call = self.reader.read_call(args, kwargs)
        run, name = self.place_and_decide(call, self.describe_call())
        if run.bypass_reason:
            return CallPlan(True, args, kwargs)
        if len(self.tracker.called_streams) == 1:
            run.set_leader(name)
        work = run.plan_work(self.tracker.local_index, name, call)
        if work is None:
            return CallPlan(False, output=run.predict_output(name, call))
        return self._select_computed_rows(CallPlan(True, args, kwargs, run, work), run.row_count)

    def _select_computed_rows(self, plan: CallPlan, row_count: int) -> CallPlan:
        """The same with arguments for no more rows than are to be computed."""
        work, args = plan.work, plan.args
        if work is None or work.rows is None:
            return plan
        rows, listed = work.rows, work.call.is_latent_list
        named = zip(self.reader.name_positional_arguments(args), args, strict=True)
        args = tuple(select_argument_rows(value, row_count, rows, listed, name) for name, value in named)
        kwargs = {
            name: select_argument_rows(value, row_count, rows, listed, name) for name, value in plan.kwargs.items()
        }
        return plan._replace(args=args, kwargs=kwargs)

    def _store_result(self, plan: CallPlan, result: Any) -> Any:
        """Keep what was computed; returned as it is, or with predicted rows around it."""
        if plan.run is None or plan.work is None:
            return result
        with torch.no_grad():
            position, is_leading = self.tracker.position, self.is_leading_call
            return plan.run.store_result(plan.work, result, position, self.call.output, is_leading)

    def _has_predicted_samples(self) -> bool:
        return self.run is not None and bool(find_predicted_samples(self.run, self.tracker))

    def _compare_with_truth(
        self, output: Any, true_output: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> Any:
        """Compare the prediction with the model's output; the kind of shadow mode decides which one is returned."""
        if self.run is not None:
            with torch.no_grad():
                listed = self.reader.read_call(args, kwargs).is_latent_list
                made, exact = (unpack_output(each, self.call.output, listed) for each in (output, true_output))
                queue_true_error(self.run, self.tracker, made, exact)
        return output if self.shadow == "cached" else true_output
