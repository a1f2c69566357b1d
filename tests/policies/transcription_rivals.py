"""The rivals' rules as plain loops over arrays, written from their description alone; True means computed."""

import math
from typing import Any

import numpy as np


def mean_abs(u: Any) -> float:
    return float(np.abs(u).mean())


def teacache_wan(indicators: Any, coefficients: Any, tau: float, retained: bool) -> list[tuple[bool, bool]]:
    """TeaCache4Wan2.1: forwards counted across both branches, twin books; an indicator per step."""
    steps = len(indicators)
    first, cutoff = (10, 2 * steps) if retained else (2, 2 * steps - 2)
    books: list[dict[str, Any]] = [{"sum": 0.0, "previous": None}, {"sum": 0.0, "previous": None}]
    calls = []
    for n in range(2 * steps):
        book, current = books[n % 2], indicators[n // 2]
        if n < first or n >= cutoff:
            compute, book["sum"] = True, 0.0
        else:
            change = mean_abs(current - book["previous"]) / mean_abs(book["previous"])
            book["sum"] += np.poly1d(coefficients)(change)
            compute = not book["sum"] < tau
            if compute:
                book["sum"] = 0.0
        book["previous"] = current
        calls.append(compute)
    return list(zip(calls[::2], calls[1::2], strict=True))


def first_block(residuals: Any, tau: float) -> list[bool]:
    """FirstBlockCache: nothing added up, compared with the last computed step."""
    reference, steps = None, []
    for now in residuals:
        compute = reference is None or mean_abs(now - reference) / mean_abs(reference) > tau
        reference = now if compute else reference
        steps.append(compute)
    return steps


class DBCacheBooks:
    """DBCache's tests a and c to g in their order, and its books."""

    def __init__(self, tau: float, warm: int, interval: int, most: int = -1, row: int = -1, total: float = -1) -> None:
        self.tau, self.warm_steps = tau, set(range(0, warm, interval))
        self.most, self.row, self.total = most, row, total
        self.reused: list[int] = []
        self.q, self.added, self.reference = 0, 0.0, None

    def computes(self, i: int, now: Any) -> bool:
        if i in self.warm_steps or 0 <= self.most <= len(self.reused):
            return True
        if 0 <= self.row <= self.q:
            self.q = 0
            return True
        if 0 <= self.total <= self.added or self.tau <= 0 or self.reference is None:
            return True
        if self.tau >= 1:
            return False
        d = mean_abs(self.reference - now) / mean_abs(self.reference)
        self.added += d
        return not d < self.tau

    def reuse(self, i: int) -> None:
        if not self.reused:
            self.q += 1
        elif i - self.reused[-1] == 1:
            self.q += 2 if self.q == 0 else 1
        self.reused.append(i)


def dbcache(residuals: Any, tau: float, warm: int, interval: int, **options: Any) -> list[bool]:
    """DBCache, one context."""
    books, steps = DBCacheBooks(tau, warm, interval, **options), []
    for i, now in enumerate(residuals):
        steps.append(books.computes(i, now))
        if steps[-1]:
            books.reference = now
        else:
            books.reuse(i)
    return steps


def taylorseer(outputs: Any, interval: int, warm: int, order: int, stop: int | None) -> tuple[list[bool], list[Any]]:
    """TaylorSeer: the factors themselves are kept and updated, as in diffusers."""
    factors: list[Any] = []
    last, steps, returned = 0, [], []
    for i, output in enumerate(outputs):
        compute = i < warm or (i - warm - 1) % interval == 0 or (stop is not None and i >= stop)
        if compute:
            new = [output]
            for k in range(min(order, len(factors))):
                new.append((new[k] - factors[k]) / (i - last))
            factors, last = new, i
            returned.append(output)
        else:
            returned.append(sum(f * (i - last) ** k / math.factorial(k) for k, f in enumerate(factors)))
        steps.append(compute)
    return steps, returned


def seacache(signals: Any, tau: float, first: int, end: int, most: int) -> list[bool]:
    """SeaCache's gate; a signal is (samples, ...)."""
    previous, added, row, steps = None, 0.0, 0, []
    for i, now in enumerate(signals):
        if i < first or i >= len(signals) - end or previous is None or (most and row >= most):
            compute, added = True, 0.0
        else:
            changes = [mean_abs(a - b) / (mean_abs(b) + 1e-16) for a, b in zip(now, previous, strict=True)]
            compute = added + sum(changes) / len(changes) >= tau
            added = 0.0 if compute else added + sum(changes) / len(changes)
        row = 0 if compute else row + 1
        previous = now
        steps.append(compute)
    return steps


def seacache_residuals(inputs: Any, outputs: Any, steps: list[bool], order: int) -> list[Any]:
    """What SeaCache returns: the residual of the blocks, along a line through the two last computed."""
    history: list[tuple[int, Any]] = []
    returned = []
    for i, (x, y, compute) in enumerate(zip(inputs, outputs, steps, strict=True)):
        if compute:
            history = [*history, (i, y - x)][-(order + 1) :]
            returned.append(y)
            continue
        j, newest = history[-1]
        if len(history) == 2:
            k, older = history[0]
            newest = newest + (newest - older) * (i - j) / (j - k)
        returned.append(x + newest)
    return returned


def pab_attention(times: Any, every: int, low: float, high: float) -> list[bool]:
    """VideoSys: a counter of its own per module, modulo the number of steps."""
    count, steps = 0, []
    for t in times:
        steps.append(not (count % every != 0 and low < int(t) < high))
        count = (count + 1) % len(times)
    return steps


def pab_mlp(times: Any, keys: Any, reuses: int) -> list[bool]:
    """VideoSys: at a key the next timesteps are noted down, and their outputs taken from the store."""
    times = [int(t) for t in times]
    noted: set[int] = set()
    for key in keys:
        if key in times:
            at = times.index(key)
            noted |= set(range(at + 1, at + 1 + reuses))
    return [i not in noted or times[i] in keys for i in range(len(times))]
