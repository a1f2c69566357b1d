"""The regrets of all series, as text."""

from collections.abc import Sequence

from navicache.evaluation.bench.equal_steps import BUDGETS, CellAtBudget
from navicache.evaluation.bench.regret import SeriesRegret, summarise_regrets
from navicache.records.text_table import UNKNOWN_CELL, TextColumn, format_table_lines


def format_regret_lines(table: Sequence[CellAtBudget]) -> list[str]:
    """A row for every series, the least worst regret first, then a sentence about ours."""
    regrets = summarise_regrets(table)
    heading = "regret, dB: worst / mean\n(median prompt; worst prompt)"
    columns = [
        TextColumn(heading, [regret.curve.name for regret in regrets], is_left_aligned=True),
        *(TextColumn(f"at {budget}", [format_regret(each.at(budget)) for each in regrets]) for budget in BUDGETS),
        TextColumn("not\nreached", [str(len(regret.missing)) for regret in regrets]),
        TextColumn("worst in", [regret.worst[1] for regret in regrets], is_left_aligned=True),
    ]
    own = find_own_regret(regrets)
    return [*format_table_lines(columns), *([] if own is None else [_describe_regret(table[0].cell.ours, own)])]


def format_regret(regret: SeriesRegret) -> str:
    """The worst and the mean regret; a dash if nothing is reached."""
    if not regret.known:
        return UNKNOWN_CELL
    return f"{regret.worst[0]:.1f} / {regret.mean():.1f} ({regret.mean('median'):.1f}; {regret.mean('worst'):.1f})"


def find_own_regret(regrets: Sequence[SeriesRegret]) -> SeriesRegret | None:
    """The regret of our policy by speed-up; None if there is none."""
    return next((regret for regret in regrets if regret.curve.role == "ours"), None)


def _describe_regret(ours: str, own: SeriesRegret) -> str:
    return (
        f"{ours} by speed-up is at most {own.worst[0]:.1f} dB below the best of everything measured ({own.worst[1]}), "
        f"{own.mean():.1f} on average over {len(own.known)} cells and budgets; {len(own.missing)} are not reached"
    )
