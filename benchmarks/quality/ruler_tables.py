"""The tables of the ruler, as Markdown: by policy, by model, against fewer steps, and the medians where it is hard."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

from benchmarks.quality.ruler import SeriesFigures, Verdict, judge

OURS = "ours"  # the role of our policy by speed-up
LISTS = ("list ", "cost ", "published ")  # the name of a list in hindsight begins so
ALWAYS = ("list even", "list of the last default")
FEWER_STEPS = "none"  # the policy of plain fewer steps
RIVALS = ("navicache", "easycache", "seacache", "hicache", "spectrum", FEWER_STEPS)
MEDIAN_SHARES = ("1/2", "17/50")
LEVEL = 0.5  # dB: that much behind is level
UNKNOWN = "-"


def format_table(headings: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """A table in Markdown.

    Example:
        >>> print(format_table(("a", "b"), [("1", "2")]))
        | a | b |
        |---|---|
        | 1 | 2 |
    """
    rows = (f"| {' | '.join(line)} |" for line in (headings, *lines))
    first = next(rows)
    return "\n".join([first, "|" + "---|" * len(headings), *rows])


def list_shares(figures: Iterable[SeriesFigures]) -> list[str]:
    """The shares of the steps, in their order."""
    return list(dict.fromkeys(each.share for each in figures))


def format_by_policy(figures: Sequence[SeriesFigures], name: str, digits: int = 1, lists: int = 3) -> str:
    """Worst and mean of a figure, a row for each series; of each kind of list in hindsight the best few."""
    shares = list_shares(figures)
    places = {share: len({each.place for each in figures if each.share == share}) for share in shares}
    found: dict[str, dict[str, Verdict]] = {}
    for series in dict.fromkeys(each.series for each in figures):
        own = [each for each in figures if each.series == series]
        by_share = {share: judge((each for each in own if each.share == share), name) for share in shares}
        found[series] = {share: verdict for share, verdict in by_share.items() if verdict}
    kept = choose_series({series: own for series, own in found.items() if own}, lists)
    lines = (
        (series, *(format_verdict(found[series].get(share), places[share], digits) for share in shares))
        for series in kept
    )
    return format_table((f"over {len({each.place[:2] for each in figures})} settings", *shares), lines)


def choose_series(found: Mapping[str, Mapping[str, Verdict]], lists: int) -> list[str]:
    """The least mean first; a policy that reaches less counts by what it reaches, a list must have most budgets."""
    order = sorted(found, key=lambda series: fmean(verdict.mean for verdict in found[series].values()))
    most = max(map(len, found.values()), default=0)
    kept: list[str] = [series for series in order if not series.startswith(LISTS) or series in ALWAYS]
    for kind in LISTS:
        whole = (series for series in order if series.startswith(kind) and len(found[series]) == most)
        kept += list(whole)[:lists]
    return [series for series in order if series in kept]


def format_verdict(verdict: Verdict | None, settings: int, digits: int = 1) -> str:
    """Worst and mean, and in brackets the number of settings if some are missing."""
    if verdict is None:
        return UNKNOWN
    missing = f" ({verdict.settings})" if verdict.settings < settings else ""
    return f"{verdict.worst:.{digits}f}, {verdict.mean:.{digits}f}{missing}"


def format_by_model(figures: Sequence[SeriesFigures], name: str, hard: Sequence[str], digits: int = 1) -> str:
    """Worst and mean of our policy's figure, a row for each model, hard ones first."""
    own, shares = [each for each in figures if each.role == OURS], list_shares(figures)
    lines = []
    for model in order_models(figures, hard):
        here = [each for each in figures if each.model == model]
        settings = {share: len({each.place for each in here if each.share == share}) for share in shares}
        ours = [each for each in own if each.model == model]
        verdicts = {share: judge((each for each in ours if each.share == share), name) for share in shares}
        cells = (format_verdict(verdict, settings[share], digits) for share, verdict in verdicts.items())
        lines.append((f"{model} ({len({each.setting for each in here})})", *cells))
    return format_table(("model (settings)", *shares), lines)


def order_models(figures: Iterable[SeriesFigures], hard: Sequence[str]) -> list[str]:
    """Hard models in the order given, then the others."""
    models = list(dict.fromkeys(each.model for each in figures))
    return [*(model for model in hard if model in models), *(model for model in models if model not in hard)]


def format_worst_places(figures: Sequence[SeriesFigures], count: int = 8) -> str:
    """Where the cut regret of our policy is largest."""
    own = sorted((each for each in figures if each.role == OURS), key=lambda each: -each.cut_regret)[:count]
    lines = []
    for each in own:
        best = max((other for other in figures if other.place == each.place), key=lambda other: other.cut)
        figures_here = (f"{value:.1f}" for value in (each.cut_regret, each.psnr, best.psnr))
        lines.append((f"{each.model}, {each.setting}", str(each.computed), *figures_here, best.series))
    return format_table(("setting", "computed", "cut regret", "ours", "best", "which"), lines)


def format_behind_fewer_steps(figures: Sequence[SeriesFigures], bar: float = LEVEL) -> str:
    """Where plain fewer steps are ahead of our policy by more than the bar, both cut."""
    fewer = {each.place: each for each in figures if each.policy == FEWER_STEPS}
    pairs = [(fewer[each.place].cut - each.cut, each) for each in figures if each.role == OURS and each.place in fewer]
    lines = []
    for lag, ours in sorted((pair for pair in pairs if pair[0] > bar), key=lambda pair: -pair[0]):
        shown = (f"{value:.1f}" for value in (-lag, ours.psnr, fewer[ours.place].psnr))
        lines.append((f"{ours.model}, {ours.setting}", str(ours.computed), *shown))
    table = format_table(("setting", "computed", "lead, cut", "ours", "fewer steps"), lines)
    return f"Behind fewer steps by more than {bar} dB in {len(lines)} of {len(pairs)} places.\n\n{table}"


def format_median_leads(figures: Sequence[SeriesFigures], hard: Sequence[str]) -> str:
    """The lead of our median over that of each rival in every hard setting, uncut; in bold where it is behind."""
    own = [each for each in figures if each.role == OURS and each.model in hard and each.share in MEDIAN_SHARES]
    own.sort(key=lambda each: hard.index(each.model))
    rivals: dict[tuple[object, str], float] = {}
    for each in figures:
        place = each.place, each.policy
        rivals[place] = max(each.median, rivals.get(place, each.median))
    lines, leads = [], []
    for each in own:
        found = [rivals.get((each.place, rival)) for rival in RIVALS]
        here = [None if other is None else each.median - other for other in found]
        leads += [min(lead for lead in here if lead is not None)] if any(lead is not None for lead in here) else []
        lines.append((f"{each.model}, {each.setting}", each.share, *map(format_lead, here)))
    level, ahead = (sum(lead >= bar for lead in leads) for bar in (-LEVEL, 0.0))
    words = f"Ahead of all in {ahead} of {len(leads)} places, at most {LEVEL} dB behind in {level}."
    names = ("fewer steps" if rival == FEWER_STEPS else f"`{rival}`" for rival in RIVALS)
    return f"{words}\n\n{format_table(('setting', 'share', *names), lines)}"


def format_lead(lead: float | None) -> str:
    """A lead with its sign, in bold where it is behind by more than what is level.

    Example:
        >>> format_lead(1.24), format_lead(-0.5), format_lead(-2.0), format_lead(None)
        ('+1.2', '-0.5', '**-2.0**', '-')
    """
    if lead is None:
        return UNKNOWN
    return f"{lead:+.1f}" if lead >= -LEVEL else f"**{lead:+.1f}**"
