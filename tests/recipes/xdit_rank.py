"""One of two ranks of xDiT on the CPU: its own groups, runtime state, wrapper of Wan and Ulysses attention, over gloo.

xDiT asks for an accelerator when it is imported, by three answers of `xfuser.envs`. They are given here, and nothing
else of it is changed: gloo is one of its backends already, and its SDPA attention needs no kernel of its own.
"""

from __future__ import annotations

import inspect
import json
import os
import sys
from pathlib import Path
from typing import Any

import torch
from tests.recipes.hosts import VARIABLE, bare_package
from tests.recipes.promises import assert_halves
from tests.tiny.wan import WAN, build_wan
from torch import Tensor, distributed

import navicache

STEPS = 20
WAYS = {"alone": {"data_parallel_degree": 2}, "ulysses": {"ulysses_degree": 2}}
MEASURES = {"policy": "teacache", "threshold": 0.1}  # decides by what a rank sees, step by step


def opened(hosts: Path) -> Any:
    """The package, imported as a user would, once its three questions have been answered."""
    sys.path[:0] = [str(hosts / name) for name in ("xdit", "xdit_site", "site")]
    sys.modules["xfuser"] = bare_package(hosts / "xdit", "xfuser")
    from xfuser import envs

    vars(envs).update(get_device_version=lambda: None, get_torch_distributed_backend=lambda: "gloo")
    envs.PACKAGES_CHECKER.packages_info["has_long_ctx_attn"] = True  # yunchang is there; it is not looked for on a CPU
    del sys.modules["xfuser"]
    import xfuser
    from xfuser.model_executor.layers import usp
    from yunchang.globals import PROCESS_GROUP

    usp.PROCESS_GROUP = PROCESS_GROUP
    return xfuser


def gather(xfuser: Any, rank: int, port: int, degrees: dict[str, int]) -> Any:
    """What its runner does before it loads a model; gives the configuration of its engine."""
    from xfuser.core import distributed as parallel

    where = f"tcp://127.0.0.1:{port}"
    distributed.init_process_group("gloo", init_method=where, rank=rank, world_size=2)
    parallel.init_distributed_environment(2, rank, where, rank, "gloo")
    config, _ = xfuser.xFuserArgs(model="tiny", attention_backend="SDPA_MATH", **degrees).create_config()
    return config


def pipeline(config: Any) -> Any:
    """A tiny Wan whose transformer is of xDiT's class, with the same weights as diffusers' own has."""
    from xfuser.core.distributed import initialize_runtime_state
    from xfuser.model_executor.models.transformers.transformer_wan import xFuserWanTransformer3DWrapper as Wrapper

    pipe = build_wan()
    own, known = pipe.transformer, inspect.signature(Wrapper.__init__).parameters
    made = Wrapper(**{name: value for name, value in own.config.items() if name in known})
    made.load_state_dict(own.state_dict())
    pipe.register_modules(transformer=made.eval())
    initialize_runtime_state(pipe, config)
    return pipe


def main(rank: int, way: str, file: Path, port: int) -> None:
    config = gather(opened(Path(os.environ[VARIABLE])), rank, port, WAYS[way])
    pipe = pipeline(config)
    from xfuser.core.distributed import get_model_replica_group, get_ulysses_parallel_world_size

    group = get_model_replica_group().device_group

    def generate(seed: int) -> Tensor:
        return WAN.call(pipe, steps=STEPS, seed=seed)

    truth = WAN.call(build_wan(), steps=STEPS)
    assert torch.allclose(generate(0), truth, atol=1e-4)  # split or not, it is the same model
    assert_halves(generate, {pipe: STEPS}, lambda _: pipe.transformer.blocks[0], told=False, group=group)
    noise = 100.0**rank * torch.randn(1, 4, 3, 6, 8, generator=torch.Generator().manual_seed(0))
    with navicache.enable(pipe, **MEASURES, group=group) as together:
        WAN.call(pipe, steps=STEPS, latents=noise)
    # by itself a rank that decides otherwise would wait for ever in xDiT's attention: here all steps are computed
    with navicache.enable(pipe, **MEASURES, shadow="full") as alone:
        WAN.call(pipe, steps=STEPS, latents=noise)
    runs = {"together": together.trace.runs[0], "by itself": alone.trace.runs[0]}
    steps = {name: run.computed_steps() for name, run in runs.items()}
    file.write_text(json.dumps({**steps, "degree": get_ulysses_parallel_world_size()}))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], Path(sys.argv[3]), int(sys.argv[4]))
