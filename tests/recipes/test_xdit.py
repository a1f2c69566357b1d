"""xDiT: its wrapper of Wan in diffusers' pipeline, by itself and split over two ranks by its Ulysses attention.

Both ranks are processes of their own: xDiT keeps its groups and its runtime state for as long as a process lives. What
every recipe promises is asked there, by each rank, before what is compared here is written.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.recipes.hosts import checkout
from tests.support.pairs import PLAIN, together

from navicache.models import find_model

pytestmark = pytest.mark.recipes
STEPS = 20


def ranks(way: str, folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    checkout("xdit")  # or the test is left out
    return together("tests.recipes.xdit_rank", way, folder)


def test_a_model_on_one_rank(tmp_path: Path) -> None:
    for seen in ranks("alone", tmp_path):
        assert seen["degree"] == 1
        assert seen["together"] == seen["by itself"]  # replicas make videos of their own and ask nobody


def test_ranks_of_a_split_sequence_decide_alike(tmp_path: Path) -> None:
    left, right = ranks("ulysses", tmp_path)
    assert left["degree"] == right["degree"] == 2
    assert left["together"] == right["together"] and 2 < len(left["together"]) < STEPS
    # else they would have agreed without asking each other
    assert abs(len(left["by itself"]) - len(right["by itself"])) >= PLAIN


def test_settings_are_those_of_the_model_it_wraps() -> None:
    """The wrappers are classes of their own, with diffusers' configuration."""
    sizes = {"in_channels": 16, "num_layers": 30, "text_dim": 4096}
    assert find_model("xFuserWanTransformer3DWrapper", sizes).name == "Wan 2.1 T2V-1.3B"
    assert find_model("xFuserHunyuanVideoTransformer3DWrapper").name == "HunyuanVideo"
