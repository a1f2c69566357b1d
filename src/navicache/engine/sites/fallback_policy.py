"""The policy of runs that an engine's own policy is not for."""

from collections.abc import Callable
from dataclasses import dataclass

from navicache.engine.decide.trace_recorder import TraceRecorder
from navicache.engine.tracking.placement import CallFacts
from navicache.policies import Policy


@dataclass(frozen=True)
class FallbackPolicy:
    """Another policy for the same site; each run asks once, at its first call, whether it departs."""

    policy: Policy
    explain_departure: Callable[[CallFacts], str]  # a note on how the run differs; empty if it does not

    def choose_run_policy(self, own_policy: Policy, call_facts: CallFacts, recorder: TraceRecorder) -> Policy:
        """Return the policy of the run that begins, and note in its record why it is this one."""
        departure = self.explain_departure(call_facts)
        policy = self.policy if departure else own_policy
        recorder.set_policy(policy)
        recorder.add_note(departure)
        return policy
