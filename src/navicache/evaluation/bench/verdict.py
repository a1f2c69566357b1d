"""What a table at equal computed steps comes to: where our policy is behind, and how far ahead it is of each other."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from navicache.evaluation.bench.equal import Role, Standing

BARS = (0.5, 1.5)  # decibels behind the best other that are counted
RIVALS: tuple[Role, ...] = ("rival",)
OTHERS: tuple[Role, ...] = (*RIVALS, "our schedule", "ours by threshold")


@dataclass(frozen=True)
class Lead:
    """Ours less one other series at one budget, over the cells where both are known."""

    name: str
    budget: Fraction
    mean: float  # dB, of the mean over prompts
    least: float  # dB, in the cell where it is smallest
    worst: float  # dB, of the worst prompt, in the mean over cells
    worst_behind: int  # cells in which our worst prompt is worse than theirs
    cells: int


@dataclass(frozen=True)
class Verdict:
    """Cells count once for each budget at which ours and another are known."""

    counted: int
    unknown: int  # ours is not known, or no other
    best: int  # ours at least as good as every other, our own other forms included
    best_of_rivals: int  # as every policy that is not ours
    behind: dict[float, tuple[str, ...]]  # by the bar, who is ahead of us where, from the farthest on
    behind_rivals: dict[float, tuple[str, ...]]  # the same, of policies that are not ours
    leads: tuple[Lead, ...]


def judge(table: Sequence[Standing]) -> Verdict:
    """The table in a few figures."""
    known = [standing for standing in table if standing.lead(*OTHERS) is not None]
    return Verdict(
        counted=len(known),
        unknown=len(table) - len(known),
        best=len(known) - len(_behind(known, 0.0, OTHERS)),
        best_of_rivals=len(known) - len(_behind(known, 0.0, RIVALS)),
        behind={bar: _behind(known, bar, OTHERS) for bar in BARS},
        behind_rivals={bar: _behind(known, bar, RIVALS) for bar in BARS},
        leads=tuple(_leads(table)),
    )


def _behind(table: Sequence[Standing], bar: float, roles: tuple[Role, ...]) -> tuple[str, ...]:
    """Where ours is behind the best in these roles by more than the bar."""
    leads = [(standing, lead) for standing in table if (lead := standing.lead(*roles)) is not None and lead < -bar]
    return tuple(_words(standing, lead, roles) for standing, lead in sorted(leads, key=lambda entry: entry[1]))


def _words(standing: Standing, lead: float, roles: tuple[Role, ...]) -> str:
    cell, best = standing.cell, standing.best(*roles)
    return f"{cell.model}, {cell.condition}, {standing.budget}: {lead:+.2f} dB to {best[0] if best else '-'}"


def _leads(table: Sequence[Standing]) -> Iterator[Lead]:
    names = dict.fromkeys(name for standing in table for name in standing.of(*OTHERS))
    for name in names:
        for budget in dict.fromkeys(standing.budget for standing in table):
            own = [standing for standing in table if standing.budget == budget and name in standing.found]
            pairs = [(standing.ours, standing.found[name]) for standing in own if standing.ours is not None]
            if pairs:
                leads = [ours.psnr - other.psnr for ours, other in pairs]
                worst = [ours.worst - other.worst for ours, other in pairs]
                mean = sum(leads) / len(pairs), min(leads), sum(worst) / len(pairs)
                yield Lead(name, budget, *mean, sum(lead < 0 for lead in worst), len(pairs))
