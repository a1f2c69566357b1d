"""How much a benchmark will write."""

from dataclasses import replace

import pytest
from tests.cli.bench.test_command import PLAN
from tests.support.files import names_in

from navicache.cli.bench.disk_space import estimate_bytes
from navicache.evaluation.bench.jobs import expand_plan, iterate_jobs
from navicache.evaluation.bench.plan_file import parse_plan


def test_the_estimate_grows_with_what_is_kept(tmp_path):
    plan = parse_plan(PLAN)
    jobs = list(iterate_jobs(expand_plan(plan, ["a", "b"])))
    clip = 5 * 32 * 48 * 3 * 4
    kept, usual = estimate_bytes(jobs, plan, {}, keeps_frames=True), estimate_bytes(jobs, plan, {}, keeps_frames=False)
    assert kept - usual == (10 - 1) * clip, "every baseline and cached video, in place of one baseline"
    assert estimate_bytes([], plan, {}, keeps_frames=True) == 0
    assert not names_in(tmp_path)


def test_a_size_that_has_a_name_counts():
    call = '{ num_inference_steps = 8, resolution = "480p", num_frames = "2s" }'
    text = PLAN.replace("{ num_inference_steps = 8 }", call).replace("num_frames = 5, height = 32, width = 48", "")
    plan = parse_plan(text)
    jobs = list(iterate_jobs(expand_plan(plan, ["a"])))[:1]
    size = estimate_bytes(jobs, plan, {}, keeps_frames=False)
    assert size == pytest.approx(51 * 480 * 854 * (3 * 4 + 1 / 8), rel=0.01)
    assert estimate_bytes([*jobs, replace(jobs[0], seed=4)], plan, {}, keeps_frames=False) > size
    odd = parse_plan(text.replace("480p", "481p"))
    with pytest.raises(ValueError, match="unknown resolution '481p'; known: "):
        estimate_bytes(list(iterate_jobs(expand_plan(odd, ["a"]))), odd, {}, keeps_frames=False)
