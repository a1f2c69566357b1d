"""One of two workers of vLLM-Omni: serves a request together with the other, then one by itself."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tests.serving.vllm_omni.tiny import gather, loaded, request
from vllm_omni.plugins import load_omni_general_plugins

from navicache_serving.vllm_omni.backend import PipelineCacheBackend

KNOBS = {"policy": "easycache", "threshold": 0.1, "align_steps": 4}  # decided by what is measured, step by step
WAYS: dict[str, dict[str, int]] = {
    "tensor": {"tensor_parallel_size": 2},
    "sequence": {"sequence_parallel_size": 2, "ulysses_degree": 2},
    "guidance": {"cfg_parallel_size": 2},
    "data": {"data_parallel_size": 2},
}


def main(rank: int, way: str, file: Path, port: int) -> None:
    gather(rank, 2, port, **WAYS[way])
    load_omni_general_plugins()
    runner = loaded("navicache", KNOBS)
    # far apart, so that each rank by itself would decide otherwise
    sizes = {"uncond": 100.0} if way == "guidance" else {"cond": 100.0**rank}
    model = runner.pipeline.transformer
    model.meets = way != "data"
    seen: dict[str, Any] = {}
    for name in ("first", "second"):
        latents, seen[f"{name} calls"] = request(runner, 30, sizes=sizes)
        seen[name], seen["finite"] = model.times, bool(latents.isfinite().all())
    runner.cache_backend.disable()
    runner.cache_backend = PipelineCacheBackend(runner.cache_backend.config, lambda: None)
    runner.cache_backend.enable(runner.pipeline)
    model.meets = False
    request(runner, 30, sizes=sizes)
    file.write_text(json.dumps({**seen, "by itself": model.times}))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], Path(sys.argv[3]), int(sys.argv[4]))
