"""The command with Ray, on a real if tiny pipeline: the same rows as without."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("ray", reason="Ray is not installed: pip install ray")
ROOT = Path(__file__).parents[3]
PLAN = """
name = "tiny"
prompts = {{ source = "file", file = "prompts.txt" }}
models = [{{ name = "tiny", model = "{model}", call = {{ num_inference_steps = 8 }} }}]
conditions = [{{ name = "small", call = {{ num_frames = 5, height = 32, width = 48 }} }}]
settings = [{{ policy = "static" }}, {{ policy = "navicache", knobs = {{ align_steps = 2, threshold = 0.9 }} }}]
"""
SAME = ("group", "kind", "setting", "prompt", "quality", "steps", "video", "trace", "knobs")


@pytest.mark.slow
def test_ray_and_local_agree(tmp_path, wan_folder):
    (tmp_path / "prompts.txt").write_text("a red ball\na blue cat\na cat\n")
    (tmp_path / "plan.toml").write_text(PLAN.format(model=wan_folder))
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "OMP_NUM_THREADS": "1"}
    program = "import sys; from navicache.cli import main; sys.exit(main())"
    found = {}
    for executor in ("local", "ray"):
        out = tmp_path / executor
        command = ["bench", str(tmp_path / "plan.toml"), "--out", str(out), "--executor", executor, "--workers", "2"]
        subprocess.run([sys.executable, "-c", program, *command], check=True, env=environment, timeout=300)
        rows = map(json.loads, (out / "rows.jsonl").read_text().splitlines())
        found[executor] = {row["key"]: {name: row[name] for name in SAME} for row in rows}
    assert len(found["local"]) == 9
    assert found["ray"] == found["local"]
