"""The local-level fit and the tests of a random walk against brute force and made-up series."""

import csv

import numpy as np
import pytest
from benchmarks.paper import every_step, random_walk
from benchmarks.paper.local_level import compute_log_likelihood, fit_local_level
from benchmarks.paper.walk_predictors import Trajectory, measure_errors
from benchmarks.paper.walk_tests import (
    compute_autocorrelation,
    compute_common_share,
    compute_jarque_bera,
    compute_ljung_box,
    compute_variance_ratio,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from navicache.estimator import compute_steady_gain

PLAN = """
name = "toy"
prompts = { source = "file", file = "prompts.txt" }
batch = 2
models = [{ name = "wan", model = "pocket", dtype = "float32", device = "cpu" }]
settings = [{ policy = "navicache" }]
[[conditions]]
name = "own"
call = { num_inference_steps = 30, num_frames = 5, height = 32, width = 32 }
"""
variances = st.floats(0.01, 10.0)


def draw_walk(process_noise, measurement_noise, seed, length=400):
    draw = np.random.default_rng(seed)
    level = np.cumsum(draw.normal(0.0, process_noise**0.5, length))
    return list(level + draw.normal(0.0, measurement_noise**0.5, length))


@settings(deadline=None)
@given(variances, variances, st.lists(st.floats(-5.0, 5.0), min_size=2, max_size=8))
def test_likelihood_is_that_of_the_increments(q, r, series):
    """Whose covariance has Q + 2R on the diagonal and -R beside it."""
    count = len(series) - 1
    covariance = (q + 2 * r) * np.eye(count) - r * (np.eye(count, k=1) + np.eye(count, k=-1))
    expected = stats.multivariate_normal.logpdf(np.diff(series), np.zeros(count), covariance)
    assert compute_log_likelihood(series, q, r) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_the_fit_is_the_most_likely_pair():
    many = [draw_walk(0.2, 0.5, seed, 40) for seed in (1, 2)]
    fit = fit_local_level(many)
    assert fit.gain == pytest.approx(compute_steady_gain(fit.process_noise, fit.measurement_noise), abs=1e-9)

    def likelihood(q, r):
        return sum(compute_log_likelihood(series, q, r) for series in many)

    best = likelihood(fit.process_noise, fit.measurement_noise)
    assert best == pytest.approx(fit.log_likelihood, rel=1e-9)
    for q in (0.8, 0.98, 1.0, 1.02, 1.3):
        for r in (0.8, 0.98, 1.0, 1.02, 1.3):
            assert likelihood(q * fit.process_noise, r * fit.measurement_noise) <= best + 1e-3


@pytest.mark.parametrize(("q", "r"), [(0.05, 0.05), (1.0, 0.01), (0.01, 1.0)])
def test_a_long_walk_gives_its_noises_back(q, r):
    fit = fit_local_level([draw_walk(q, r, seed) for seed in range(4)])
    assert fit.gain_low <= fit.gain <= fit.gain_high
    assert fit.gain == pytest.approx(compute_steady_gain(q, r), abs=0.06)
    assert max(q, r) == pytest.approx(max(fit[:2]), rel=0.15)


def test_momentum_pushes_the_gain_to_one():
    fit = fit_local_level([list(np.cumsum(np.cumsum(np.ones(20))))])
    assert fit.gain == 1.0 and fit.measurement_noise == 0.0


def test_the_tests_reject_what_is_no_random_walk_and_let_one_pass():
    walks = [np.diff(draw_walk(1.0, 0.0, seed)) for seed in range(40)]
    assert np.mean([compute_ljung_box(each) > 11.07 for each in walks]) < 0.2
    assert np.mean([compute_jarque_bera(each)[0] > 5.99 for each in walks]) < 0.2
    assert np.mean([compute_variance_ratio(each) for each in walks]) == pytest.approx(1.0, abs=0.1)
    noisy = [np.diff(draw_walk(0.01, 1.0, seed)) for seed in range(10)]
    assert all(compute_ljung_box(each) > 11.07 and compute_variance_ratio(each) < 0.6 for each in noisy)
    assert np.mean([compute_autocorrelation(each) for each in noisy]) == pytest.approx(-0.5, abs=0.1)


def test_jarque_bera_is_that_of_scipy():
    values = np.random.default_rng(3).exponential(size=60)
    statistic, excess = compute_jarque_bera(values)
    assert statistic == pytest.approx(stats.jarque_bera(values).statistic)
    assert excess == pytest.approx(stats.kurtosis(values))


def test_the_common_share_leaves_out_what_chance_adds():
    draw = np.random.default_rng(5)
    curve, noise = draw.normal(size=2000), draw.normal(size=(8, 2000))
    assert compute_common_share(list(noise)) == pytest.approx(0.0, abs=0.03)
    assert compute_common_share(list(curve + noise)) == pytest.approx(0.5, abs=0.05)


def test_errors_of_predictions_by_hand():
    """Ratios 1, 2, 4, 8 with changes of 1/2 and outputs of size 1: the first two are not asked of a prediction."""
    run = Trajectory(np.array([1.0, 2.0, 4.0, 8.0]), np.full(4, 0.5), np.ones(4))
    fit = fit_local_level([[1.0, 2.0, 4.0, 8.0]])
    errors = measure_errors([run], fit)
    assert errors["hold"] == pytest.approx((2 + 4) / 2 / 2)
    assert errors["fitted"] == pytest.approx(errors["hold"]), "without noise the filter holds"
    assert errors["line"] == pytest.approx((1 + 2) / 2 / 2)
    assert errors["ema"] == pytest.approx((4 - 1.618 + 8 - (1.618 + 0.618 * (4 - 1.618))) / 2 / 2)


def test_from_a_plan_to_the_figures_and_the_picture(tmp_path, capsys):
    (tmp_path / "plan.toml").write_text(PLAN)
    (tmp_path / "prompts.txt").write_text("a red ball moves left\na blue cat\n")
    out = tmp_path / "out"
    assert every_step.main([str(tmp_path / "plan.toml"), "--out", str(out)]) == 0
    chart, figures = tmp_path / "walk.png", tmp_path / "walk.csv"
    assert random_walk.main([str(out), "--csv", str(figures), "--chart", str(chart)]) == 0
    with figures.open() as file:
        lines = {line["phase"]: line for line in csv.DictReader(file)}
    assert list(lines) == ["whole", "start", "middle", "end"]
    assert {(line["model"], line["runs"]) for line in lines.values()} == {("wan", "2")}
    assert [int(lines[phase]["steps"]) for phase in lines] == [29, 10, 9, 10]
    assert chart.read_bytes().startswith(b"\x89PNG")
    capsys.readouterr()
    with pytest.raises(SystemExit):
        random_walk.main([str(tmp_path / "nothing")])
    assert "holds no rows.jsonl" in capsys.readouterr().err
