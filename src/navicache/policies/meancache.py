"""MeanCache (arXiv:2601.19961, ICLR 2026; UnicomAI/MeanCache 2e122806, Mc_qwenimage.py): average velocities, for flows.

    J = (v_r - u) / (s_i - s_r),   u = sum over r <= j < i of v_j (s_(j+1) - s_j) / (s_i - s_r),   r = i - K
    v_i ~ v_(i-1) - J (s_(i+1) - s_i)

v_j is the output of step j, computed or predicted, and s_j its noise level. K = 1 holds. The official code takes u from
the latents: with Euler's sampler that is this sum. The sum also works for each guidance branch, where the official
loop has only the guided velocity.

The computed steps, and K between them, are a path from the first step to the last. Its edges (t, d) are measured on
full runs (`navicache calibrate --method meancache`), and it has at most B steps:

    C_K(t, d) = mean |u_(t,d) - v_t - (s_d - s_t) J_K|,   for the best K;   minimise the sum of C^gamma

The official code contains only finished paths, for two image models. These two formulas are the paper's as quoted by
others (facok/comfyui-meancache-z 91023d6b, core; nanguoyu/Golden-Path-Hypothesis 41bc4e75, analysis). How far J_K looks
back is read from the official paths: one continues from step 1 with K = 2, so over the K outputs up to v_t.
"""

from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from math import inf
from typing import ClassVar

from navicache.policies.guards import add_guards
from navicache.policies.knob_checks import (
    check_align_steps,
    check_index_list,
    check_integer,
    check_number,
    check_number_tuple,
)
from navicache.policies.l2p import split_triangle_rows
from navicache.policies.linear_recurrence import LinearRecurrence, TableStepsGate, WeightTable
from navicache.policies.policy import Scheme


@dataclass(frozen=True)
class MeanCache:
    """Compute the best path through errors that were measured on the model; predict with mean velocities.

    Example:
        >>> policy = MeanCache(sigmas=(1.0, 0.75, 0.5, 0.0), costs=(0.0, 0.3, 0.0), spans=(0, 1, 0), budget=2)
        >>> policy.schemes()[0].predictor.weight_table  # K = 1 holds
        ((1.0,), (0.0, 1.0))
    """

    name: ClassVar[str] = "meancache"

    sigmas: tuple[float, ...] = ()  # noise level of every step, and the one after the last
    costs: tuple[float, ...] = ()  # C of the edge to step 1; of the edges to step 2, from steps 0 and 1; and so on
    spans: tuple[int, ...] = ()  # K of each edge, in the same order
    budget: int = 25  # B; 10, 17 or 25 of 50 in the official code
    gamma: float = 4.0  # not in the official code: from the second of the two implementations named above
    align_steps: int = 1

    def __post_init__(self) -> None:
        """Check the knobs."""
        check_number_tuple("sigmas", self.sigmas, "falling, one per step and one more")
        check_number_tuple("costs", self.costs, "1 of step 1, 2 of step 2, and so on")
        check_index_list("spans", self.spans, min_length=0)
        check_integer("budget", self.budget, 2)
        check_number("gamma", self.gamma, 1, 100, "1 adds errors up, more suppresses the largest")
        check_align_steps(self.align_steps, minimum=1)
        if any(late >= early for early, late in pairwise(self.sigmas)):
            raise ValueError("sigmas must be noise levels that fall from step to step, as those of a flow do")
        edges = sum(range(max(0, len(self.sigmas) - 1)))
        if not len(self.costs) == len(self.spans) == edges:
            raise ValueError(
                f"costs must be as many as spans, {edges} of them for {len(self.sigmas)} sigmas: take all three from "
                f"one calibration; got {len(self.costs)} and {len(self.spans)}"
            )

    def schemes(self) -> tuple[Scheme, ...]:
        """One path for all guidance branches; each branch is predicted from its own outputs."""
        if not self.costs:
            raise ValueError(
                "policy 'meancache' needs errors of this model: measure them with "
                "`navicache calibrate --method meancache`"
            )
        path = find_cheapest_path(split_triangle_rows(self.costs), self.budget, self.gamma)
        spans = {i: int(split_triangle_rows(self.spans)[d - 1][t]) for t, d in pairwise(path) for i in range(t + 1, d)}
        steps = len(self.sigmas) - 1
        table = tuple(compute_velocity_weights(self.sigmas, i, spans.get(i, 1)) for i in range(1, steps))
        gate = add_guards(
            TableStepsGate(computed_steps=frozenset(path), table_steps=steps),
            align_steps=self.align_steps,
            last_step=True,
        )
        return (Scheme("model", gate, LinearRecurrence(table), True, None),)


def compute_velocity_weights(sigmas: tuple[float, ...], index: int, span: int) -> tuple[float, ...]:
    """Weights of all outputs before a step, oldest first.

    Example:
        >>> compute_velocity_weights((4.0, 3.0, 2.0, 1.0), 2, 2)  # half the newest slope
        (-0.25, 1.25)
    """
    first, row = index - min(span, index), [0.0] * index
    row[-1] = 1.0
    if first >= index - 1:
        return tuple(row)
    whole = sigmas[index] - sigmas[first]
    share = (sigmas[index + 1] - sigmas[index]) / whole
    for step in range(first, index):
        row[step] += share * (sigmas[step + 1] - sigmas[step]) / whole
    row[first] -= share
    return tuple(row)


@cache
def find_cheapest_path(costs: WeightTable, budget: int, gamma: float) -> tuple[int, ...]:
    """Find the path from step 0 to the last, of at most `budget` steps, with the smallest sum of cost ** gamma.

    Example:
        >>> find_cheapest_path(((0.0,), (1.0, 0.0), (3.0, 1.5, 0.0)), 3, 2.0)
        (0, 2, 3)
    """
    best: dict[int, tuple[float, tuple[int, ...]]] = {0: (0.0, (0,))}
    ends = [(inf, (0,))]
    for _ in range(min(budget - 1, len(costs))):
        reached: dict[int, tuple[float, tuple[int, ...]]] = {}
        for end, row in enumerate(costs, 1):
            ways = [(best[t][0] + (0.0 if end - t == 1 else row[t] ** gamma), t) for t in range(end) if t in best]
            if ways:
                cost, start = min(ways)
                reached[end] = (cost, (*best[start][1], end))
        best = reached
        ends += [best[len(costs)]] if len(costs) in best else []
    return min(ends, key=lambda found: (found[0], -len(found[1])))[1]
