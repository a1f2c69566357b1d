"""`inertial` a second time, from docs/spec alone: plain numbers, no line of the library."""

import math
from dataclasses import dataclass, field

from tests.docs.stated_schedule import schedule


def mean(values):
    return sum(values) / len(values)


def size(values):
    return mean([abs(value) for value in values])


def combine(a, b, factor):
    return [left + factor * right for left, right in zip(a, b, strict=True)]


def product(a, b):
    return mean([left * right for left, right in zip(a, b, strict=True)])


@dataclass
class Belief:
    start: float
    value: float | None = None
    variance: float = 1.0

    def track(self, z, low, high):
        self.value = self.start if self.value is None else self.value
        self.variance += 0.05
        gain = self.variance / (self.variance + 0.05 + 1e-8)
        self.value += gain * (min(max(z, low), high) - self.value)
        self.variance *= 1 - gain


@dataclass
class Branch:
    """One line: the leader's output, or a follower's difference."""

    start: float
    amends: bool
    kept: list = field(default_factory=list)  # (step, output), newest first
    m: list | None = None

    def __post_init__(self):
        self.a, self.r = Belief(self.start), Belief(0.0)

    def line(self, i):
        (j, y_j), *older = self.kept
        if not older:
            return y_j
        k, y_k = older[0]
        g, a = (i - j) / (j - k), self.start if self.a.value is None else self.a.value
        return combine(y_j, combine(y_j, y_k, -1), a * g if a > 0 else a * min(1, g))

    def predict(self, i):
        if len(self.kept) < 2 or self.m is None or not self.amends:
            return self.line(i)
        (j, _), (k, _) = self.kept
        a, r = self.start if self.a.value is None else self.a.value, self.r.value or 0.0
        gap = j - k
        owed = min(1, 2 * a) * min(1, 1 + r) * (5 * gap - 1) / (12 * gap) if a > 0 and i - j < gap else 0.0
        return combine(self.line(i), self.m, owed)

    def learn(self, i, y):
        if self.kept:
            before, self.m = self.m, combine(y, self.line(i), -1)
            if self.amends and before is not None and product(before, before):
                self.r.track(product(self.m, before) / product(before, before), -1, 1)
        if len(self.kept) > 1:
            (j, y_j), (k, y_k) = self.kept
            move = combine(y_j, y_k, -1)
            if product(move, move):
                best = product(combine(y, y_j, -1), move) / (product(move, move) * (i - j) / (j - k))
                self.a.track(best, -0.5, 1.3)
        self.kept = [(i, y), *self.kept][:2]


@dataclass
class ErrorRule:
    """Section 3."""

    limit: float
    each: bool
    growth: Belief | None = None
    way: float = 0.0
    d: float = 0.0
    last_d: float = 0.0
    error: float = 0.0
    spread: float = 0.1

    def wants_compute(self, moved, y_j):
        self.way += moved
        self.d = self.way / size(y_j)
        if self.growth is None:
            return True
        if self.each:
            reach = max(self.d, self.last_d) * (1 + 2 * math.sqrt(self.spread))
            return not self.growth.value * self.d * reach < self.limit
        self.error += self.growth.value * self.d**2
        return not self.error < self.limit

    def learn(self, missed):
        if missed is not None and self.d > 0:
            z, self.last_d = missed / self.d**2, self.d
            if self.growth is None:
                self.growth = Belief(0.0, z)
            else:
                known = self.growth.value
                off = min(abs(z / known - 1), 2) ** 2 if known > 0 else 4
                self.spread += 0.2 * (off - self.spread)
                self.growth.track(z, -math.inf, math.inf)
        self.way = self.d = self.error = 0.0


def run(case):
    """Computed steps, beliefs after each, and everything returned."""
    (target, value), xs, ys = next(iter(case["target"].items())), case["inputs"], case["outputs"]
    total, scheduled = len(xs), target == "speedup"
    steps = schedule(case["levels"], value) if scheduled else ()
    rule = ErrorRule(value, target == "max_error")
    branches = [Branch(0.0 if scheduled else 1.0, target != "max_error") for _ in ys[0]]
    leader, found = branches[0], {"computed": [], "damping": [], "error_correlation": [], "returned": []}
    for i, outputs in enumerate(ys):
        wanted = i in steps
        if not scheduled:
            moved = size(combine(xs[i], xs[i - 1], -1)) if i else 0.0
            wanted = (rule.wants_compute(moved, leader.kept[0][1]) if i else True) or i < 3 or i == total - 1
        if not wanted:
            lead, *others = [branch.predict(i) for branch in branches]
            found["returned"].append([lead, *(combine(other, lead, 1) for other in others)])
            continue
        if not scheduled:
            missed = size(combine(outputs[0], leader.line(i), -1)) / size(outputs[0]) if i else None
            rule.learn(missed)
        for branch, y in zip(branches, outputs, strict=True):
            branch.learn(i, y if branch is leader else combine(y, outputs[0], -1))
        found["computed"].append(i)
        found["damping"].append(leader.a.value)
        found["error_correlation"].append(leader.r.value)
        found["returned"].append(outputs)
    return found
