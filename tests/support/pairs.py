"""Two real processes over gloo, each one rank of somebody else's workers."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import distributed

ROOT = Path(__file__).parents[2]
LIMIT = 300.0  # seconds for both ranks, nearly all of it imports: under a minute on two idle cores
PLAIN = 4  # steps by which ranks differ that ask nobody: more than a rounding could do


def together(module: str, way: str, folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """What both ranks saw: each runs `module` with its number, the way they share a model, a file to write, a port."""
    files, port = [folder / f"{way}.{rank}.json" for rank in (0, 1)], free_port()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")]), "OMP_NUM_THREADS": "1"}
    with (folder / "log").open("w") as log:
        ranks = [
            subprocess.Popen(
                [sys.executable, "-W", "ignore", "-m", module, str(rank), way, str(file), str(port)],
                env={**environment, "RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": "2"},
                stdout=log, stderr=log, cwd=ROOT,
            )
            for rank, file in enumerate(files)
        ]  # fmt: skip
        wait(ranks)
    missing = [file.name for file in files if not file.exists()]
    assert not missing, f"hung or died: {missing}\n{(folder / 'log').read_text()[-3000:]}"
    left, right = (json.loads(file.read_text()) for file in files)
    return left, right


def wait(ranks: Sequence[subprocess.Popen[bytes]]) -> None:
    """Until both are over, or one has failed, for which the other would wait, or the time is up."""
    until = time.monotonic() + LIMIT
    try:
        while any(rank.poll() is None for rank in ranks) and time.monotonic() < until:
            if any(rank.poll() for rank in ranks):
                break
            time.sleep(0.2)
    finally:
        for rank in ranks:
            rank.kill()
            rank.wait()


def meet(time: float) -> None:
    """What a collective inside the model would do, and a word about ranks that are at other steps."""
    both = torch.tensor([time])
    distributed.all_reduce(both)
    if both.item() != 2 * time:
        raise RuntimeError(f"the other rank is at another step: {both.item() - time} there, {time} here")


def free_port() -> int:
    """One that nobody listens on: other tests may run at the same time."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def steps(seen: dict[str, Any], name: str) -> int:
    """How many steps a rank has computed."""
    return len(set(seen[name]))


def agree(left: dict[str, Any], right: dict[str, Any]) -> None:
    """Both ranks called the model at the same times in both requests, and not at all times."""
    for name in ("first", "second"):
        assert left[name] == right[name] and 4 < steps(left, name) < 30
    assert left["first"] == left["second"]
    assert left["finite"] and right["finite"]


def differ(left: dict[str, Any], right: dict[str, Any]) -> None:
    """Ranks that ask nobody decide otherwise, plainly; else those above would have agreed by themselves."""
    assert abs(steps(left, "by itself") - steps(right, "by itself")) >= PLAIN
