"""The part of the engine that all sites share: place a call, learn, decide, close the run."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

from torch import Tensor

from navicache.engine.call_guard import CallGuard
from navicache.engine.decide.trace_recorder import TraceRecorder
from navicache.engine.predict.storage_options import StorageOptions
from navicache.engine.rank_group import FindRankGroup, HostTransfer, find_no_ranks
from navicache.engine.run.run_state import RunState
from navicache.engine.sites.call_readings import NO_READINGS, CallReadings, Forward, compute_latent_signal
from navicache.engine.sites.fallback_policy import FallbackPolicy
from navicache.engine.tensors.device_readings import fetch_readings
from navicache.engine.tensors.rows import count_rows
from navicache.engine.tracking.bypass_causes import find_bypass_cause
from navicache.engine.tracking.model_call import CallReader, ModelCall
from navicache.engine.tracking.placement import CallFacts, CallPlacement
from navicache.engine.tracking.placement_rules import list_placement_readings, place_call, resolve_placement
from navicache.engine.tracking.run_tracker import RunTracker
from navicache.models import CallSpec
from navicache.policies import Policy
from navicache.records import ShadowMode, Trace


class CacheEngine(ABC):
    """Base class of the engines: handles runs, steps and streams; subclasses replace the model or its parts."""

    def __init__(
        self,
        policy: Policy,
        reader: CallReader,
        *,
        model: str,
        call: CallSpec | None = None,
        keep: StorageOptions | None = None,
        describe_call: Callable[[], CallFacts] = CallFacts,
        shadow: ShadowMode | None = None,
        find_ranks: FindRankGroup = find_no_ranks,
        fallback: FallbackPolicy | None = None,
    ) -> None:
        """Set up for the first run; no tensor is kept yet. A run that the policy is not for takes the fallback."""
        self._own_policy, self._fallback, self.policy, self.scheme = policy, fallback, policy, policy.schemes()[0]
        self.reader, self.call = reader, call or CallSpec()
        self.keep, self.describe_call, self.shadow = keep or StorageOptions(), describe_call, shadow
        self.recorder = TraceRecorder(self.scheme.gate, model=model, shadow=shadow)
        self.recorder.set_policy(policy)
        self.tracker, self.host_transfer, self.call_guard = RunTracker(), HostTransfer(find_ranks), CallGuard()
        self.run: RunState | None = None

    @abstractmethod
    def __call__(self, forward: Forward, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """What stands in place of the model's forward."""

    @abstractmethod
    def attach(self) -> None:
        """Reach into the model, where that is needed."""

    @abstractmethod
    def detach(self) -> None:
        """Leave the model as it was."""

    @abstractmethod
    def release_site_tensors(self) -> None:
        """Release the tensors that this site keeps for a run, when the run ends or another begins."""

    @property
    def is_leading_call(self) -> bool:
        """Whether the gate learns from the newest call: it leads its step, or every stream decides."""
        return len(self.tracker.called_streams) == 1 or not (self.run is not None and self.run.leader_decides)

    def place_and_decide(self, call: ModelCall, call_facts: CallFacts) -> tuple[RunState, str]:
        """Find run, step and stream, learn from fetched readings and decide, with at most one transfer."""
        tracker, untrusted_facts = self.tracker, call_facts
        call_facts = tracker.drop_stale_fields(call_facts)
        placement = place_call(tracker, call, call_facts)
        queued = self._queue_readings(call, call_facts, placement)
        moves_early = queued.includes_pending and queued.is_placement_certain and self.host_transfer.ranks is None
        if moves_early:  # while the device is busy measuring
            self._move_tracker(call, call_facts, placement)
        if queued.needs_transfer:
            self._fetch_queued_readings(queued, call, placement)
        if not queued.is_placement_certain:
            placement = resolve_placement(tracker, placement, queued.is_latent_unchanged)
        run = self.run
        if run is None or placement.kind == "run":
            call_facts = untrusted_facts  # a new run believes its scheduler until that stands still
            run = self._begin_run(call, call_facts, placement)
        elif queued.includes_pending:
            run.process_fetched_readings(placement.kind, queued.is_latent_measured)
        if not moves_early:
            self._move_tracker(call, call_facts, placement)
        if run.measures_signal and self.is_leading_call and not run.bypass_reason:
            signal = self.compute_signal(call, tracker.call_facts.sigma) if queued.signal is None else queued.signal
            run.deciders.get_or_create(placement.stream).signal_history.set_last_signal(signal)
        run.decide_step(tracker, placement.stream)
        return run, placement.stream

    def _queue_readings(self, call: ModelCall, call_facts: CallFacts, placement: CallPlacement) -> CallReadings:
        """Queue the readings of this call: those that place it, and those that its gate reads."""
        run, tracker, certain, kind = self.run, self.tracker, placement.is_certain, placement.kind
        if run is None or kind == "run":
            return CallReadings(is_placement_certain=True, needs_transfer=self.host_transfer.update_ranks())
        if certain and kind == "follow" and not run.measures_signal:
            return NO_READINGS
        questions = [] if certain else list_placement_readings(tracker, placement)
        latent_change, signal, together = None, None, self.host_transfer.ranks is not None
        looked = kind == "step" and not (run.bypass_reason or tracker.is_done)  # else no latent is kept to compare with
        if looked:
            latent_change = run.measure_latent(call, placement.stream, placement.is_tentative)
            if latent_change is not None:
                questions.append(latent_change)
        if run.measures_signal and not run.bypass_reason and (kind == "step" or not run.leader_decides):
            signal = self.compute_signal(call, call_facts.sigma if kind == "step" else tracker.call_facts.sigma)
            run.deciders.measure_signal(signal, placement.stream if certain else None)
        is_asked = run.decides_by_measurement or bool(questions) or together or run.needs_transfer
        learns = (looked or signal is not None) and is_asked
        crosses = learns or bool(questions) or (together and kind == "step")
        readings = questions + run.list_pending_readings() if learns else questions
        return CallReadings(certain, readings, crosses, learns, looked, latent_change, signal)

    def _move_tracker(self, call: ModelCall, call_facts: CallFacts, placement: CallPlacement) -> None:
        tracker, recorder, is_bypassed = self.tracker, self.recorder, self.run is not None and self.run.bypass_reason
        if tracker.move_to(placement, call, call_facts, ignores_latent=bool(is_bypassed)):
            recorder.set_first_index_to_zero()
        if placement.kind != "follow":
            recorder.begin_step(tracker.index, tracker.total, placement.time or call.time)

    def _fetch_queued_readings(self, queued: CallReadings, call: ModelCall, placement: CallPlacement) -> None:
        """Make the transfer of this call, which may show that every further step has to be computed."""
        index, latent = self.tracker.local_index, call.latent[0]
        are_together = self.host_transfer.fetch_readings(queued.readings, placement.kind, index, latent)
        if self.run is not None and (cause := find_bypass_cause(are_together, placement.levels)):
            self.run.bypass_run(*cause)
            self.release_site_tensors()

    def _begin_run(self, call: ModelCall, call_facts: CallFacts, placement: CallPlacement) -> RunState:
        """Start from nothing; within one generation (a batch changed its size) the record goes on."""
        if self.tracker.continues_generation(call_facts):
            self._fetch_pending_readings()
            self.recorder.add_note(f"aligned anew at step {call_facts.index}: {placement.new_run_reason}")
            self.recorder.restart_step_count()
        else:
            self._close_run(is_complete=False)
            self.recorder.begin_run(placement.new_run_reason)
            if self._fallback is not None:
                self.policy = self._fallback.choose_run_policy(self._own_policy, call_facts, self.recorder)
                self.scheme = self.policy.schemes()[0]
        self.release_site_tensors()
        self.run = RunState(self.scheme, self.recorder, self.keep, count_rows(call.latent), self.call.channel_dim)
        self.run.begin_run(call, call_facts.total, self.policy.align_steps)
        return self.run

    def compute_signal(self, call: ModelCall, sigma: float | None) -> Tensor:
        """What the gate watches at this call, at this noise level."""
        return compute_latent_signal(self.scheme.signal, call, sigma)

    def abort_run(self) -> None:
        """Forget the run: something went wrong in it, perhaps the device itself."""
        self.run = None  # without waiting for measurements
        self.end_run("the run before was aborted", is_complete=False)

    def end_run(self, reason: str = "pipeline reset", is_complete: bool = True) -> None:
        """Close the run and drop its tensors; the next call begins another."""
        try:
            self._close_run(is_complete)
        finally:
            self.release_site_tensors()
            self.tracker.expect_new_run(reason)

    def close_complete_run(self) -> None:
        """Release the tensors after the last call of a run: some pipelines do not report their end."""
        if self.tracker.has_all_calls and self.run is not None:
            self.run.release_tensors()
            self.release_site_tensors()
            self.tracker.mark_done()

    @property
    def trace(self) -> Trace:
        """What happened in the newest runs, up to now."""
        if self.host_transfer.ranks is None or self.tracker.is_done:  # in a run, all ranks learn at the same calls
            self._fetch_pending_readings()
        return Trace(self.recorder.run_records)

    def _fetch_pending_readings(self) -> None:
        """Fetch the readings that no decision needed, for the trace."""
        if self.run is not None:
            fetch_readings([*self.run.list_pending_readings(), *self.recorder.queue_time_readings()])
            self.run.pending_outcomes.learn_outcomes()

    def _close_run(self, is_complete: bool) -> None:
        try:
            self._fetch_pending_readings()
        finally:
            self.recorder.finish_run(is_complete)
            self.run = None
