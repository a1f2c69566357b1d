"""The report of a sampling run, and the patch state that keeps it."""

from dataclasses import dataclass, field, replace
from typing import Any

from navicache.engine import CallFacts
from navicache.integrations.tuned_runs import RunSampling, TunedRuns
from navicache.policies import Policy
from navicache.records import Trace, summarise

from .evaluation_plan import EvaluationPlan


@dataclass(frozen=True)
class SamplingReport:
    """One sampling run: plain records, no tensors."""

    trace: Trace
    notes: tuple[str, ...] = ()
    evaluations: int = 0  # of the model by the sampler
    computed: int = 0  # evaluations that were computed

    @property
    def summary(self) -> str:
        """The run as text: policy, model, computed and reused steps, notes."""
        parts = [summarise([run], details=False) for run in self.trace.runs] or ["nothing was cached in this run"]
        return "\n".join([*parts, *(f"note: {note}" for note in self.notes)])


@dataclass
class PatchState:
    """What `attach` puts into a model's options: the settings, and the report of the newest run.

    ComfyUI copies the options with every clone. This state is not copied, so all clones of the model (for a LoRA or a
    second sampler) share the report.
    """

    policy: Policy
    model_class: str  # name of the model's class
    notes: tuple[str, ...] = ()
    tuned: TunedRuns | None = None  # of a settings file
    last_report: SamplingReport | None = field(default=None)

    def choose_run_policy(self, plan: EvaluationPlan, guidance: float | None) -> tuple[Policy, str]:
        """Choose the policy of a run, and explain a departure from the settings file."""
        if self.tuned is None or not plan.levels:
            return self.policy, ""
        facts = CallFacts(total=len(plan.levels[0]), read_noise_levels=lambda: plan.read_noise_levels(0))
        departure = self.tuned.explain_departure(lambda: RunSampling(guidance=guidance), facts)
        return (self.tuned.fallback_policy if departure else self.policy), departure

    def set_last_report(self, report: SamplingReport, departure: str = "") -> None:
        """Replace the report of the last run."""
        notes = (departure, *report.notes, *self.notes)
        self.last_report = replace(report, notes=tuple(note for note in notes if note))

    def __deepcopy__(self, memo: dict[int, Any]) -> "PatchState":
        """Return this object: clones share it."""
        del memo
        return self
