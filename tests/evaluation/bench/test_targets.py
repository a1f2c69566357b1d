"""Targets of a plan: read, refused where they make no sense, and met by the search."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from navicache.evaluation.bench.jobs import expand_plan
from navicache.evaluation.bench.plan_file import parse_plan
from navicache.evaluation.bench.targets import MAX_PROBES, NEAR, search_threshold

PLAN = """
name = "toy"
prompts = { source = "pocket", count = 1 }
tune = { source = "pocket-tuning", count = 2 }
models = [{ name = "pocket", model = "pocket" }]
settings = [SETTING]
"""


def settings_of(text):
    plan = parse_plan(PLAN.replace("SETTING", text))
    (group,) = expand_plan(plan, ["a ball"], {plan.tune: ["a star", "a ring"]})
    return [batch[0] for batch in group[1:]]


def test_each_target_is_a_setting_and_has_the_tuning_prompts():
    jobs = settings_of('{ name = "N", policy = "navicache", targets = [2.0, 3.0] }')
    assert [job.setting.name for job in jobs] == ["N target=2.0", "N target=3.0"]
    assert [job.setting.target for job in jobs] == [2.0, 3.0]
    assert {job.setting.tune for job in jobs} == {("a star", "a ring")}
    assert {job.setting.series for job in jobs} == {"N"}


def test_one_target_leaves_the_name_alone_and_is_another_job():
    (with_target,) = settings_of('{ name = "N", policy = "navicache", targets = [2.0] }')
    (without,) = settings_of('{ name = "N", policy = "navicache" }')
    assert with_target.setting.name == without.setting.name == "N"
    assert with_target.key != without.key and without.setting.tune == ()


def test_what_is_swept_counts_for_the_key():
    """A threshold is found without the sweep, so the same knobs may come to another one."""
    (fixed,) = settings_of('{ name = "N", policy = "navicache", targets = [2.0], knobs = { align_steps = 5 } }')
    (swept,) = settings_of('{ name = "N", policy = "navicache", targets = [2.0], sweep = { align_steps = [5] } }')
    assert fixed.setting.knobs == swept.setting.knobs and fixed.key != swept.key


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ('{ policy = "inertial", targets = [2.0] }', "give knobs = { speedup = 2.0 }"),
        ('{ policy = "static", targets = [2.0] }', "static has no threshold"),
        ('{ policy = "none", targets = [2.0] }', "leave out its modes, knobs, sweep and targets"),
        ('{ policy = "navicache", targets = [2.0], knobs = { threshold = 0.1 } }', "a threshold and targets"),
        ('{ policy = "navicache", targets = [2.0], sweep = { threshold = [0.1] } }', "a threshold and targets"),
        ('{ policy = "navicache", targets = [1.0] }', "above 1"),
        ('{ policy = "navicache", targets = [-1.0] }', "above zero"),
        ('{ policy = "navicache", targets = 2.0 }', "targets must be a list"),
    ],
)
def test_a_target_that_makes_no_sense_is_refused(setting, said):
    with pytest.raises(ValueError, match=said):
        settings_of(setting)


def test_targets_need_tuning_prompts():
    text = PLAN.replace("SETTING", '{ policy = "navicache", targets = [2.0] }')
    with pytest.raises(ValueError, match="give the plan tune"):
        parse_plan(text.replace('tune = { source = "pocket-tuning", count = 2 }', ""))


@given(
    target=st.floats(1.1, 5.0),
    middle=st.floats(1e-2, 1e2),
    slope=st.floats(0.5, 5.0),
)
def test_any_smooth_course_is_met(target, middle, slope):
    shares = {}
    threshold = search_threshold(lambda x: 1 / (1 + (x / middle) ** slope), shares, target)
    assert abs(shares[threshold] - 1 / target) <= max(NEAR, 0.05)
    assert len(shares) <= MAX_PROBES


def test_what_is_known_is_not_measured_again():
    def measure(threshold):
        raise AssertionError(threshold)

    assert search_threshold(measure, {0.1: 0.6, 0.2: 0.5}, target=2.0) == 0.2


def test_steps_in_whole_numbers_are_met_as_near_as_they_come():
    shares = {}
    threshold = search_threshold(lambda x: (10 if x < 0.3 else 4 if x < 0.31 else 2) / 20, shares, target=5.0)
    assert shares[threshold] == 0.2 and 0.3 <= threshold < 0.31


@pytest.mark.parametrize("share", [1.0, 0.6, 0.05], ids=["never reuses", "reuses too little", "reuses too much"])
def test_a_target_that_no_threshold_meets_costs_few_probes(share):
    for most, spent in ((16, 8), (6, 6)):
        shares = {}
        with pytest.raises(ValueError, match="no threshold computes 33% of the steps"):
            search_threshold(lambda _: share, shares, target=3.0, most=most)
        assert len(shares) <= spent


def test_a_target_out_of_reach_says_what_there_is():
    with pytest.raises(ValueError, match=r"no threshold computes 20% of the steps: .*50% at"):
        search_threshold(lambda x: 0.5 if x > 1 else 1.0, {}, target=5.0)
