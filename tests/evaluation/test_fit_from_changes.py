"""Knobs from what a probe saw."""

import numpy as np
import pytest
from tests.tiny.cogvideox import COGVIDEOX
from tests.tiny.wan import WAN

import navicache
from navicache.engine import ProbeMeasurement
from navicache.evaluation.fit_from_changes import fit_teacache_polynomial, measure_magcache_ratios
from navicache.integrations.pipeline_probe import probe_pipeline

STEPS = 12


def seen(family, prompts=2, signal="modulated", **call):
    pipe = family.build()
    with probe_pipeline(pipe, signal) as probe:
        for number in range(prompts):
            family.call(pipe, steps=STEPS, seed=number, **call)
    return probe.measurements


@pytest.mark.parametrize(("family", "branches"), [(WAN, 2), (COGVIDEOX, 1)], ids=["wan", "cogvideox"])
def test_magcache_from_what_was_seen(family, branches):
    knobs, quality = measure_magcache_ratios(seen(family))
    assert len(knobs["ratios"]) == STEPS * branches
    assert knobs["ratios"][:branches] == (1.0,) * branches
    assert knobs["interleaved"] is (branches == 2)
    assert quality["runs"] == 2
    with navicache.enable(family.build(), "magcache", **knobs, threshold=1.0, longest_reuse=2) as cache:
        assert cache.trace.runs == ()


def test_the_polynomial_is_found_again():
    x = np.linspace(0.01, 0.3, 40)
    truth = (3.0, -2.0, 1.0, 0.5, 0.02)
    sights = [ProbeMeasurement(1, i, 0, float(v), float(np.polyval(truth, v)), None) for i, v in enumerate(x)]
    found, quality = fit_teacache_polynomial(sights)
    assert found == pytest.approx(truth, rel=1e-4)
    assert quality["r2"] == pytest.approx(1.0)
    flat = [ProbeMeasurement(1, i, 0, 0.1, 0.1 * i, None) for i in range(6)]
    assert fit_teacache_polynomial(flat)[0][:4] == (0.0,) * 4  # one value of the signal carries no curve
    with pytest.raises(ValueError, match="too few"):
        fit_teacache_polynomial(sights[:4])
