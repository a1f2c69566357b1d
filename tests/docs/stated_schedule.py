"""The steps of a speed-up a second time, from docs/spec alone: plain numbers, no line of the library."""

import math
from functools import lru_cache


def list_costs(levels, text=False):
    costs = []
    for i, u in enumerate(levels[:-1]):
        du = u - levels[i + 1]
        if du <= 0:
            du = max(0.0, (levels[max(i - 1, 0)] - levels[i + 1]) / 2)
        cost = du**0.9 / ((1 - u + 0.02) ** (1.45 if text else 1) * (u + 0.02) ** 0.55)
        costs.append(cost)
    return costs


def choose(costs, budget, first, last):
    """Dynamic programming over (newest computed step, how many are free)."""
    costs = [cost * (1 + 0.000001 * math.fmod(0.618 * i, 1)) for i, cost in enumerate(costs)]
    total = len(costs)
    first = min(first, total - 1)
    last = min(last, max(budget - first, 1))
    end = max(first, total - last)
    free = min(max(budget - first - (total - end), 0), end - first)

    @lru_cache(None)
    def best(here, left):
        """The least cost after the computed step `here`, and the free steps computed."""
        reused, found = 0.0, (math.inf, ())
        for step in range(here + 1, end + 1):
            if step == end:
                found = min(found, (reused, ())) if left == 0 else found
            elif left:
                rest, steps = best(step, left - 1)
                found = min(found, (reused + rest, (step, *steps)))
            if step < end:
                reused += costs[step] * (step - here) ** 0.35
        return found

    return sorted({*range(first), *best(first - 1, free)[1], *range(end, total)})


def budget_of(total, speedup, text=False, highest=None):
    budget = max(round(total / speedup), 1)
    first = 2 * (budget + 1) // 5 if text else (budget - 5) // 3
    line = 2 if budget >= 5 and highest is not None and (total < 25 or highest < 0.9) else 1
    return budget, max(first, line), 1 if text else min(max(budget // 12, 1), 2)


def schedule(levels, speedup, text=False):
    return choose(list_costs(levels, text), *budget_of(len(levels) - 1, speedup, text, levels[0]))


def counts_betas(begun, time, i, total):
    if not 0 <= time < begun < 1000 or begun % 1 or time % 1:
        return False
    d, q = (begun - time) / (i - 1), (total - i) / (i - 1) + 1
    is_flow = abs(begun * (total - i) - time * (total - 1)) < 0.5
    return not is_flow and -q <= time - (total - i - 1) * d <= d + q


def schedule_by_times(times, speedup):
    total = len(times)
    budget, first, last = budget_of(total, speedup)
    computed, shift = [], 3.0
    for i, time in enumerate(times):
        if i >= 2:
            begun, top = times[1], 1000 if time > 1 else 1
            e = time / begun if time < begun else (top - time) / (top - begun)
            b, n = 1 - 1 / total, 1 - i / total
            if counts_betas(begun, time, i, total):
                shift = 3.5 ** min(max(2 * (total / budget - 2), 0), 1)
            else:
                shift = min(max(1 + (e * b - n) / (n * b * (1 - e)), 0.25), 64)
                shift = 2 ** (round(8 * math.log2(shift)) / 8)
        parts = [1 - place / total for place in range(total + 1)]
        costs = list_costs([shift * p / (1 + (shift - 1) * p) for p in parts])
        j = computed[-1] if computed else 0
        rest = choose(costs[j:], 1 + max(budget - len(computed), 1), 1, last) if i >= first else []
        if i < first or any(j < j + step <= i for step in rest) or i == total - 1:
            computed.append(i)
    return computed
