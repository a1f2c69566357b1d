"""Two real processes over gloo, each one rank of a server's workers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
LIMIT = 900.0  # seconds; a hang ends here, or at the group's own timeout


def together(module: str, way: str, folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """What both ranks saw: each runs `module` with its number, the way they share a model, and a file to write."""
    files = [folder / f"{way}.{rank}.json" for rank in (0, 1)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")]), "OMP_NUM_THREADS": "1"}
    with (folder / "log").open("w") as log:
        ranks = [
            subprocess.Popen(
                [sys.executable, "-W", "ignore", "-m", module, str(rank), way, str(file)],
                env={**environment, "RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": "2"},
                stdout=log, stderr=log, cwd=ROOT,
            )
            for rank, file in enumerate(files)
        ]  # fmt: skip
        for rank in ranks:
            try:
                rank.wait(LIMIT)
            except subprocess.TimeoutExpired:
                rank.kill()
    missing = [file.name for file in files if not file.exists()]
    assert not missing, f"hung or died: {missing}\n{(folder / 'log').read_text()[-3000:]}"
    left, right = (json.loads(file.read_text()) for file in files)
    return left, right
