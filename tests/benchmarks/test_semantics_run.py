"""A plan run and read, with a real embedded model: rows are kept, and a second run makes nothing again."""

import pytest
from benchmarks.paper import semantics
from benchmarks.paper.semantic_rows import read_csv

PLAN = """
name = "read"
prompts = { source = "pocket", count = 2 }
clock = "beside"
models = [{ name = "h", model = "pocket:hunyuan", dtype = "float32", call = { num_inference_steps = 4 } }]
settings = [{ policy = "static", name = "S" }]
"""


@pytest.mark.slow
def test_a_plan_is_run_in_one_call_and_read(tmp_path):
    (tmp_path / "plan.toml").write_text(PLAN)
    few = ["--device", "cpu", "--out", str(tmp_path / "out"), "--csv", str(tmp_path / "s.csv"), "--no-rendered"]
    for _ in range(2):
        assert semantics.main([str(tmp_path / "plan.toml"), *few]) == 0
    plain, cached = read_csv(tmp_path / "s.csv")
    assert (plain.videos, cached.videos, cached.setting, cached.decides) == (2, 2, "S", "prompt")
    assert plain.computed == 1 and 0.25 < cached.computed < 1
    assert plain.shares["as plain"] == (2, 2) and plain.shares["background"].asked == 2
    assert not (tmp_path / "out" / "videos").exists()
