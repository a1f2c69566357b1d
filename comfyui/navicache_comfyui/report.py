"""The report of a sampling run, and the patch state that keeps it."""

import logging
from dataclasses import dataclass, field, replace
from statistics import median
from typing import Any

from navicache.engine import CallFacts, StorageOptions
from navicache.integrations.tuned_runs import RunSampling, TunedRuns
from navicache.policies import Policy
from navicache.records import RunRecord, Trace, summarise

from .evaluation_plan import EvaluationPlan

logger = logging.getLogger("navicache")
FEW_REUSES = 0.15  # of the evaluations


@dataclass(frozen=True)
class SamplingReport:
    """One sampling run: plain records, no tensors."""

    trace: Trace
    notes: tuple[str, ...] = ()
    evaluations: int = 0  # of the model by the sampler
    computed: int = 0  # evaluations that were computed

    @property
    def errors(self) -> tuple[float, ...]:
        """What a prediction would have missed at each computed step, measured, relative to the output."""
        steps = (step for run in self.trace.runs for step in run.leading if step.computed)
        return tuple(step.reuse_error for step in steps if step.reuse_error is not None)

    @property
    def console_line(self) -> str:
        """The run in one line."""
        parts = [f"{self.computed} of {self.evaluations} evaluations computed"]
        if self.errors:
            parts.append(f"predictions missed {median(self.errors):.1%} of the output (median where computed)")
        return "; ".join(["NaviCache: " + parts[0], *parts[1:], *self.notes])

    @property
    def summary(self) -> str:
        """The run as text: policy, model, computed and reused steps, notes."""
        parts = [summarise([run], details=False) for run in self.trace.runs] or ["nothing was cached in this run"]
        if self.errors:
            middle, largest = median(self.errors), max(self.errors)
            parts.append(
                f"a prediction of the computed steps misses {middle:.1%} of the output (median), {largest:.1%} at most"
            )
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
    keep: StorageOptions = field(default_factory=StorageOptions)
    start_percent: float = 0.0  # of the run: before it and after the end everything is computed
    end_percent: float = 1.0
    last_report: SamplingReport | None = field(default=None)

    def choose_run_policy(self, plan: EvaluationPlan, guidance: float | None) -> tuple[Policy, str]:
        """Choose the policy of a run, and explain a departure from the settings file."""
        if self.tuned is None or not plan.levels:
            return self.policy, ""
        facts = CallFacts(total=len(plan.levels[0]), read_noise_levels=lambda: plan.read_noise_levels(0))
        departure = self.tuned.explain_departure(lambda: RunSampling(guidance=guidance), facts)
        return (self.tuned.fallback_policy if departure else self.policy), departure

    def set_last_report(self, report: SamplingReport, before: tuple[str, ...] = ()) -> None:
        """Replace the report of the last run, and say it in the console."""
        notes = (*before, *report.notes, *self._explain_few_reuses(report), *self.notes)
        self.last_report = replace(report, notes=tuple(note for note in notes if note))
        logger.info(self.last_report.console_line)

    def _explain_few_reuses(self, report: SamplingReport) -> tuple[str, ...]:
        """Say what to change where an error target left almost nothing out."""
        saved, errors = report.evaluations - report.computed, report.errors
        if not errors or saved > FEW_REUSES * report.evaluations or not has_error_target(report.trace.runs[-1]):
            return ()
        return (
            f"only {saved} of {report.evaluations} evaluations were predicted: predictions miss about "
            f"{median(errors):.1%} here, so a smaller limit leaves nothing out; raise it, or set a speed-up",
        )

    def __deepcopy__(self, memo: dict[int, Any]) -> "PatchState":
        """Return this object: clones share it."""
        del memo
        return self


def has_error_target(run: RunRecord) -> bool:
    """Whether a limit on errors decided, and not a speed-up."""
    return any(run.settings.get(name) is not None for name in ("max_error", "threshold"))
