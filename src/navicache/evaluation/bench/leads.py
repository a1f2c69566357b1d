"""How far ahead the plan's own policy is of each other one at equal computed steps, and where it is behind."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from navicache.evaluation.bench.equal_steps import CellAtBudget, Role

LEAD_BARS = (0.5, 1.5)  # decibels behind the best other policy that are counted
OTHER_ROLES: tuple[Role, ...] = ("rival", "our other policy", "ours by threshold")


@dataclass(frozen=True)
class SeriesLead:
    """The lead of our policy over one series at one budget, over the cells that have both."""

    name: str
    budget: Fraction
    mean: float  # dB, of the mean over prompts
    least: float  # dB, in the cell where it is smallest
    worst: float  # dB, of the worst prompt, on average over cells
    worst_behind: int  # cells in which our worst prompt is worse than theirs
    cells: int


@dataclass(frozen=True)
class LeadSummary:
    """All leads; a cell counts once for each budget at which our policy and another one are known."""

    ours: str  # the policy whose leads these are
    counted: int
    behind: dict[float, tuple[str, ...]]  # by the bar, which policy is ahead of us where, from the farthest on
    leads: tuple[SeriesLead, ...]


def summarise_leads(table: Sequence[CellAtBudget]) -> LeadSummary:
    """Count where our policy is ahead and behind, and average its leads."""
    known = [standing for standing in table if standing.lead("rival") is not None]
    return LeadSummary(
        ours=table[0].cell.ours if table else "",
        counted=len(known),
        behind={bar: _cells_behind(known, bar, "rival") for bar in LEAD_BARS},
        leads=tuple(_series_leads(table)),
    )


def _cells_behind(table: Sequence[CellAtBudget], bar: float, *roles: Role) -> tuple[str, ...]:
    """The cells where our policy is behind the best series in these roles by more than the bar."""
    leads = [(standing, lead) for standing in table if (lead := standing.lead(*roles)) is not None and lead < -bar]
    return tuple(_describe_cell(standing, lead, roles) for standing, lead in sorted(leads, key=lambda entry: entry[1]))


def _describe_cell(standing: CellAtBudget, lead: float, roles: tuple[Role, ...]) -> str:
    cell, best = standing.cell, standing.best(*roles)
    return f"{cell.model}, {cell.condition}, {standing.budget}: {lead:+.2f} dB to {best[0] if best else '-'}"


def _series_leads(table: Sequence[CellAtBudget]) -> Iterator[SeriesLead]:
    names = dict.fromkeys(name for standing in table for name in standing.in_roles(*OTHER_ROLES))
    for name in names:
        for budget in dict.fromkeys(standing.budget for standing in table):
            own = [standing for standing in table if standing.budget == budget and name in standing.points_by_series]
            both = ((standing.our_point, standing.points_by_series[name]) for standing in own)
            pairs = [(ours, other) for ours, other in both if ours is not None]
            if pairs:
                leads = [ours.psnr - other.psnr for ours, other in pairs]
                worst = [ours.worst - other.worst for ours, other in pairs]
                mean = sum(leads) / len(pairs), min(leads), sum(worst) / len(pairs)
                yield SeriesLead(name, budget, *mean, sum(lead < 0 for lead in worst), len(pairs))
