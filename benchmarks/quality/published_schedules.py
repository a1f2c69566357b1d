"""Published lists for other budgets and other numbers of steps: lists in hindsight for the tables."""

from collections import defaultdict
from collections.abc import Sequence

from benchmarks.quality.list_distance import list_counted
from navicache.models import PublishedList


def group_lists() -> dict[str, list[PublishedList]]:
    """The lists of a model and method, by the name of both; those of the study's other gates are left out.

    Example:
        >>> [found.computed for found in group_lists()["published FLUX.1-dev hill_climbing"]]
        [21, 13, 9]
    """
    grouped: dict[str, list[PublishedList]] = defaultdict(list)
    for found in list_counted():
        grouped[f"published {found.model} {found.method}"].append(found)
    return dict(grouped)


def scale_list(lists: Sequence[PublishedList], computed: int, total: int) -> list[int]:
    """The list of one model and method for this budget, from those that were published.

    The step at relative rank r is interpolated between the two lists with the nearest shares of computed steps; beyond
    the densest it moves on towards every step, below the sparsest only the ranks are spread.

    Example:
        >>> from navicache.models import read_published_lists
        >>> flux = [found for found in read_published_lists() if found.method == "hill_climbing"][:3]
        >>> scale_list(flux, 13, 50) == list(flux[1].at)
        True
        >>> scale_list(flux, 7, 20)
        [0, 1, 2, 4, 6, 11, 19]
    """
    if not 2 <= computed <= total:
        raise ValueError(f"between 2 and {total} of {total} steps can be computed, not {computed}")
    share = computed / total
    below = max((found for found in lists if share_of(found) <= share), default=min(lists, key=share_of), key=share_of)
    above = min((found for found in lists if share_of(found) >= share), default=None, key=share_of)
    ranks = [rank / (computed - 1) for rank in range(computed)]
    low = [place_at(below, rank) for rank in ranks]
    high = [place_at(above, rank) for rank in ranks] if above else ranks
    width = (share_of(above) if above else 1.0) - share_of(below)
    weight = max(share - share_of(below), 0.0) / width if width else 0.0
    places = [(1 - weight) * one + weight * other for one, other in zip(low, high, strict=True)]
    return spread_steps([round(place * (total - 1)) for place in places], total)


def share_of(found: PublishedList) -> float:
    """The share of the run's steps that a list computes."""
    return found.computed / found.total


def place_at(found: PublishedList, rank: float) -> float:
    """Where in the run, from 0 to 1, the computed step of this relative rank is.

    Example:
        >>> from navicache.models import read_published_lists
        >>> [round(place_at(read_published_lists()[0], rank), 2) for rank in (0, 0.5, 1)]
        [0.0, 0.2, 1.0]
    """
    exact = rank * (found.computed - 1)
    before = min(int(exact), found.computed - 2)
    step = found.at[before] + (exact - before) * (found.at[before + 1] - found.at[before])
    return step / (found.total - 1)


def spread_steps(steps: Sequence[int], total: int) -> list[int]:
    """Move steps that fall together apart: later ones up, and those pushed past the end down again.

    Example:
        >>> spread_steps([0, 0, 0, 1, 6, 6], 7)
        [0, 1, 2, 3, 5, 6]
    """
    free = list(steps)
    for rank in range(1, len(free)):
        free[rank] = max(free[rank], free[rank - 1] + 1)
    last = total
    for rank in reversed(range(len(free))):
        free[rank] = last = min(free[rank], last - 1)
    return free
