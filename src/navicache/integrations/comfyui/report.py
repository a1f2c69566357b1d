"""What is told of a sampling run, and the place where it is kept."""

from dataclasses import dataclass, field, replace
from typing import Any

from navicache.policies import Policy
from navicache.records import Trace, summarise


@dataclass(frozen=True)
class SamplingReport:
    """One sampling run: plain records, no tensors."""

    trace: Trace
    notes: tuple[str, ...] = ()
    evaluations: int = 0  # of the model, as the sampler asked for them
    computed: int = 0  # of these

    @property
    def summary(self) -> str:
        """The run as text: who cached what, the computed and the reused steps, and the notes."""
        parts = [summarise([run], details=False) for run in self.trace.runs] or ["nothing was cached in this run"]
        return "\n".join([*parts, *(f"note: {note}" for note in self.notes)])


@dataclass
class PatchState:
    """What `attach` leaves in a model's options: the settings, and the report of the newest run.

    ComfyUI copies the options with every clone. The journal goes along as it is: whoever clones the model further, for
    a LoRA or a second sampler, still holds the one that is written to.
    """

    policy: Policy
    model_class: str  # name of the model's class
    notes: tuple[str, ...] = ()
    last_report: SamplingReport | None = field(default=None)

    def set_last_report(self, report: SamplingReport) -> None:
        """Keep the report of a run in place of the one before."""
        self.last_report = replace(report, notes=(*report.notes, *self.notes))

    def __deepcopy__(self, memo: dict[int, Any]) -> "PatchState":
        """The journal itself."""
        del memo
        return self
