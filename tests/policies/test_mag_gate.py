"""MagCache's rule against plain code, and tables for runs of another length."""

from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st
from tests.policies.computed import computed_by_branch

from navicache.policies import MagCache
from navicache.policies.magcache_gate import map_step_to_entry


def plain(table: list[float], total: int, tau: float, most: int, retention: float) -> list[int]:
    """The rule as in the common script, one call a step, transcribed without looking at ours."""
    if len(table) != total:
        table = [table[nearest(j, len(table), total)] for j in range(total)]
    product, error, reused, steps = 1.0, 0.0, 0, []
    for i in range(total):
        if i >= int(total * retention):
            product *= table[i]
            reused += 1
            error += abs(1 - product)
            if error <= tau and reused <= most and i > 0:
                continue
            product, error, reused = 1.0, 0.0, 0
        steps.append(i)
    return steps


def nearest(j: int, length: int, total: int) -> int:
    """Round half to even, by hand."""
    if total == 1:
        return length - 1
    low, rest = divmod(j * (length - 1), total - 1)
    if 2 * rest == total - 1:
        return low + low % 2
    return low + (2 * rest > total - 1)


tables = st.lists(st.floats(0.5, 1.5), min_size=2, max_size=30).map(lambda rest: [1.0, *rest])


@limits(deadline=None)
@given(tables, st.integers(2, 60), st.floats(0.001, 0.5), st.integers(0, 6), st.floats(0.05, 0.6))
def test_as_the_plain_rule(table, total, tau, most, retention):
    policy = MagCache(ratios=tuple(table), threshold=tau, longest_reuse=most, retention=retention)
    ours = computed_by_branch(policy, total)
    assert ours == sorted({0, *ours})
    # Where nothing is retained the plain rule tells step 0 apart by its books, ours by the alignment.
    if int(total * retention) > 0:
        assert ours == plain(table, total, tau, most, retention)


@limits(deadline=None)
@given(st.integers(2, 200), st.integers(1, 200))
def test_resampling(length, total):
    assert [map_step_to_entry(j, length, total) for j in range(total)] == [
        nearest(j, length, total) for j in range(total)
    ]


def test_both_ends_of_a_resampled_table():
    assert (map_step_to_entry(0, 50, 30), map_step_to_entry(29, 50, 30), map_step_to_entry(0, 50, 1)) == (0, 49, 49)
