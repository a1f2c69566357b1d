"""The position of the newest call in its run, and the facts of that run."""

from dataclasses import dataclass, field
from typing import NamedTuple

from navicache.engine.tensors.device_readings import DeviceReading, compute_time_change, get_moving_time
from navicache.engine.tensors.rows import Rows
from navicache.engine.tracking.model_call import ModelCall
from navicache.engine.tracking.placement import CallFacts, CallPlacement
from navicache.policies import NoiseLevels


class StepPosition(NamedTuple):
    """Where a step stands in its run."""

    index: int  # pyright: ignore[reportIncompatibleMethodOverride]
    local_index: int
    total: int | None
    time: float | None
    sigma: float | None
    noise_levels: NoiseLevels | None = None  # of the whole run
    is_continued: bool = False  # the start of the run was computed by others
    is_flow: bool | None = None
    has_text: bool = False


@dataclass(slots=True)
class RunTracker:
    """Stores the position; `place_call` reads it to place the next call."""

    new_run_reason: str = "first call"  # why the next call begins a run; empty within one
    is_done: bool = False  # the last step has had its calls, as far as can be told
    # of the run
    run_token: object | None = None
    run_invariants: tuple[object, ...] = ()
    index_offset: int | None = None  # the host's number of the run's first step; None if unknown
    first_time: DeviceReading | None = None
    time_direction: float = 0.0  # in which the time goes
    is_scheduler_stale: bool = False  # the host's scheduler stood still while a step went by: it belongs to others
    noise_levels: NoiseLevels | None = None  # of the whole run, if its scheduler tells them
    has_text: bool = False  # the model reads a sequence of tokens beside the latent
    ignores_latent: bool = False  # nothing is predicted in this run, so nothing is kept to compare with
    conditioning: dict[str, Rows] = field(default_factory=dict)  # by stream
    # of the step
    call_facts: CallFacts = CallFacts()
    local_index: int = 0
    first_counted_index: int = 0  # the number of the run's first step, where its steps are counted and not told
    index: int = 0
    total: int | None = None
    time: DeviceReading | None = None
    latent: Rows = ()
    called_streams: list[str] = field(default_factory=list)  # streams of this step, in the order of their calls
    previous_streams: list[str] = field(default_factory=list)  # and of the step before

    @property
    def has_all_calls(self) -> bool:
        """Whether the last step has had all the calls the step before had."""
        return self.total is not None and self.index >= self.total - 1 and self.called_streams == self.previous_streams

    @property
    def position(self) -> StepPosition:
        """Where the step stands; its time as far as it has been read."""
        time = None if self.time is None else get_moving_time(self.time, self.first_time)
        facts = self.call_facts
        of_run = (self.noise_levels, facts.is_continued, facts.is_flow, self.has_text)
        return StepPosition(self.index, self.local_index, self.total, time, facts.sigma, *of_run)

    def drop_stale_fields(self, call_facts: CallFacts) -> CallFacts:
        """Remove what a scheduler says that does not move with this run."""
        if self.is_scheduler_stale and not self.new_run_reason:
            return call_facts._replace(index=None, total=None, run_token=None, read_noise_levels=None, is_flow=None)
        return call_facts

    def continues_generation(self, call_facts: CallFacts) -> bool:
        """Whether a new run belongs to the same generation: its scheduler moved on to a later step."""
        if (
            self.new_run_reason
            or self.is_scheduler_stale
            or call_facts.index is None
            or call_facts.run_token is None
            or call_facts.run_token is not self.run_token
        ):
            return False
        return call_facts.index > (self.index if self.call_facts.index is None else self.call_facts.index)

    def expect_new_run(self, reason: str) -> None:
        """The next call begins a run."""
        if not self.new_run_reason:
            self.new_run_reason, self.conditioning, self.latent, self.run_token = reason, {}, (), None

    def mark_done(self) -> None:
        """Expect a new run, though one more stream of the last step may still come."""
        self.is_done, self.conditioning, self.latent = True, {}, ()

    def move_to(self, placement: CallPlacement, call: ModelCall, call_facts: CallFacts, ignores_latent: bool) -> bool:
        """Move to the position of a final placement; `ignores_latent` if the run is bypassed.

        Returns whether the first step of the run turns out to have a wrong index.
        """
        wrong, kind, stream = False, placement.kind, placement.stream
        if kind == "run":
            self._begin_run(placement, call, call_facts)
        elif kind == "step":
            wrong = self._begin_next_step(placement, call_facts)
        if kind != "follow":
            call_facts = self.drop_stale_fields(call_facts) if self.is_scheduler_stale else call_facts
            start = self.index_offset or 0
            self.call_facts, self.time = call_facts, placement.time
            self.ignores_latent, self.latent = ignores_latent, () if ignores_latent else call.model_latent
            self.index = (
                self.first_counted_index + self.local_index if call_facts.index is None else call_facts.index - start
            )
            self.total = None if call_facts.total is None else call_facts.total - start
            self.called_streams = []
        self.called_streams.append(stream)
        self.conditioning[stream] = call.conditioning
        return wrong

    def _begin_run(self, placement: CallPlacement, call: ModelCall, call_facts: CallFacts) -> None:
        self.new_run_reason, self.is_done, self.is_scheduler_stale = "", False, False
        self.run_token, self.run_invariants = call_facts.run_token, call.run_invariants
        self.local_index = self.first_counted_index = 0
        self.index_offset = None if call_facts.index is None else 0
        self.first_time, self.time_direction = placement.time, 0.0
        self.has_text = call.has_text or call_facts.has_text
        self.noise_levels = None if call_facts.read_noise_levels is None else call_facts.read_noise_levels()
        self.conditioning, self.previous_streams = {}, []

    def _begin_next_step(self, placement: CallPlacement, call_facts: CallFacts) -> bool:
        wrong, self.previous_streams = False, self.called_streams
        self.local_index += 1
        if call_facts.index is not None and call_facts.index == self.call_facts.index:
            self.is_scheduler_stale, self.noise_levels = True, None
            if self.local_index == 1:
                wrong = True
            else:  # it has moved before: what it told then was right
                self.first_counted_index = self.index - self.local_index + 1
        elif self.index_offset is None and call_facts.index is not None:
            self.index_offset = call_facts.index - self.local_index  # the run began in the middle of the schedule
        if placement.time is not None and not self.time_direction:
            self.time_direction = compute_time_change(placement.time, self.time) or 0.0
        return wrong
