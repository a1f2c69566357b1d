"""One of two workers of SGLang: serves a request together with the other, then one by itself."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tests.serving.sglang.tiny import request, served, server, stage
from torch import distributed

ASKED = {"policy": "easycache", "threshold": 0.1, "align_steps": 4}  # decided by what is measured, step by step
WAYS: dict[str, dict[str, Any]] = {
    "tensor": {"tp_size": 2},
    "sequence": {"sp_degree": 2, "ulysses_degree": 2},
    "guidance": {"enable_cfg_parallel": True, "cfg_parallel_degree": 2},
}


def main(rank: int, way: str, file: Path, port: int) -> None:
    from sglang.multimodal_gen.runtime.distributed import parallel_state
    from sglang.multimodal_gen.runtime.platforms.plugins import apply_plugin_hooks

    args = server(port, **WAYS[way])
    apply_plugin_hooks()
    made, seen = stage(args), dict[str, Any]()
    made.transformer.meets = True
    for name in ("first", "second"):
        latents, seen[f"{name} calls"] = served(made, asking(way, rank), args)
        seen[name], seen["finite"] = made.transformer.times, bool(latents.isfinite().all())
        seen["frames"], seen["latents"] = made.transformer.frames, latents.tolist()
    made.transformer.meets = False
    alone, _ = distributed.new_subgroups_by_enumeration([[0], [1]])
    vars(parallel_state)["get_replica_group"] = lambda: SimpleNamespace(device_group=alone)  # nobody to ask
    served(made, asking(way, rank), args)
    file.write_text(json.dumps({**seen, "by itself": made.transformer.times}))


def asking(way: str, rank: int) -> Any:
    """A request whose parts are far apart, so that each rank by itself would decide otherwise."""
    sizes = (0.01, 100.0) if way == "sequence" else (1.0, 1.0)  # of both shards: a still one, and one all noise
    batch = request(30, asked=ASKED, sizes=sizes)
    large = 100.0 ** (rank if way == "tensor" else 0)
    batch.prompt_embeds = [large * embeds for embeds in batch.prompt_embeds]
    if way == "guidance":
        batch.negative_prompt_embeds = [100.0 * embeds for embeds in batch.negative_prompt_embeds]
    return batch


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], Path(sys.argv[3]), int(sys.argv[4]))
