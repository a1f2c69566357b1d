"""Two real processes over gloo: whatever each rank measures, both decide alike, and nobody waits for ever."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.parallel.worker import POLICIES, SCENARIOS

LIMIT = 240.0  # seconds for all scenarios; a hang ends here, or at the group's own timeout
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run both ranks once; what a scenario left is looked at by its own test."""
    where = tmp_path_factory.mktemp("ranks")
    command = [sys.executable, "-m", "tests.parallel.worker"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")]), "OMP_NUM_THREADS": "1"}
    with (where / "log").open("w") as log:
        ranks = [
            subprocess.Popen([*command, str(rank), str(where)], env=environment, stdout=log, stderr=log, cwd=ROOT)
            for rank in (0, 1)
        ]
        for rank in ranks:
            try:
                rank.wait(LIMIT)
            except subprocess.TimeoutExpired:
                rank.kill()
    return where


def results(folder: Path, name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    files = [folder / f"{name}.{rank}.json" for rank in (0, 1)]
    missing = [file.name for file in files if not file.exists()]
    assert not missing, f"hung or died: {missing}\n{(folder / 'log').read_text()[-3000:]}"
    left, right = (json.loads(file.read_text()) for file in files)
    return left, right


def decisions(seen: dict[str, Any]) -> list[Any]:
    return [line[:3] for line in seen["lines"]]


def reuses(seen: dict[str, Any]) -> int:
    return sum(not computed for _, _, computed, _ in seen["lines"])


OTHERS = ("apart", "pab together", "ulysses, blocks")


@pytest.mark.parametrize("name", [name for name in SCENARIOS if "itself" not in name and name not in OTHERS])
def test_the_same_decisions(folder: Path, name: str) -> None:
    left, right = results(folder, name)
    assert decisions(left) == decisions(right)
    assert reuses(left)
    assert "ranks of the group" not in " ".join(left["notes"] + right["notes"])


def test_blocks_of_a_split_sequence_are_refused_by_all_ranks(folder: Path) -> None:
    for seen in results(folder, "ulysses, blocks"):
        assert "use a policy at the site of the whole model" in seen["error"]


def test_decisions_of_modules(folder: Path) -> None:
    left, right = results(folder, "pab together")
    assert left["lines"] == right["lines"]
    assert any("reuses" in reason for *_, reason in left["lines"])


@pytest.mark.parametrize("name", ["navicache", "inertial", "teacache"])
def test_by_themselves_they_would_differ(folder: Path, name: str) -> None:
    """Or the tests above would show nothing."""
    left, right = results(folder, f"{name} by itself")
    assert decisions(left) != decisions(right)
    assert name in POLICIES


def test_ranks_that_are_apart_compute(folder: Path) -> None:
    left, right = results(folder, "apart")
    assert "ranks of the group were not at the same step" in " ".join(left["notes"])
    assert all(computed for index, _, computed, _ in left["lines"] if index > 4)
    assert any(not computed for index, _, computed, _ in left["lines"] if index <= 4)
    assert left["next"] == right["next"]
    assert any(not computed for _, _, computed, _ in left["next"])


def test_rows_of_a_batch(folder: Path) -> None:
    left, _ = results(folder, "batch")
    assert {sample for _, sample, _, _ in left["lines"]} == {0, 1}


@pytest.mark.parametrize("name", ["fsdp", "ulysses", "tensor parallel"])
def test_the_model_is_known_by_its_own_name(folder: Path, name: str) -> None:
    assert results(folder, name)[0]["model"] == "WanTransformer3DModel"
