"""Which ranks call a model together, with stand-ins for meshes and groups; real ones are in tests/parallel."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import distributed, nn

from navicache.integrations import rank_groups


class Mesh:
    """Some ranks, laid out in some shape; its group is its name."""

    def __init__(self, name: str, ranks: list[Any]) -> None:
        self.name, self.mesh = name, torch.tensor(ranks)

    @property
    def ndim(self) -> int:
        return self.mesh.ndim

    def size(self) -> int:
        return self.mesh.numel()

    def get_group(self) -> str:
        assert self.ndim == 1, "a mesh of several dimensions has no group of its own"
        return self.name

    def _flatten(self) -> Mesh:
        return Mesh(f"{self.name}, flat", self.mesh.flatten().tolist())


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if two ranks or more had met."""
    monkeypatch.setattr(distributed, "is_initialized", lambda: True)
    monkeypatch.setattr(distributed, "get_world_size", lambda group: 1 if group == "alone" else 2)
    monkeypatch.setattr(rank_groups, "RankGroup", lambda group: SimpleNamespace(group=group))


def found(monkeypatch: pytest.MonkeyPatch, *meshes: Mesh) -> Any:
    monkeypatch.setattr(rank_groups, "find_device_meshes", lambda model: list(meshes))
    ranks = rank_groups.find_ranks(nn.Identity())
    return None if ranks is None else ranks.group


def test_a_process_by_itself_has_no_ranks() -> None:
    assert rank_groups.find_ranks(nn.Identity(), "given") is None


@pytest.mark.usefixtures("started")
def test_the_group_that_was_given_counts() -> None:
    assert rank_groups.find_ranks(nn.Identity(), "given").group == "given"
    assert rank_groups.find_ranks(nn.Identity(), "alone") is None


@pytest.mark.usefixtures("started")
def test_a_function_and_a_plain_model_lie_on_no_mesh() -> None:
    assert rank_groups.find_ranks(len) is None
    assert rank_groups.find_ranks(nn.Linear(2, 2)) is None


@pytest.mark.usefixtures("started")
def test_the_largest_mesh_is_the_group(monkeypatch: pytest.MonkeyPatch) -> None:
    small, large = Mesh("small", [0, 1]), Mesh("large", [0, 1, 2, 3])
    assert found(monkeypatch, small, large) == "large"
    assert found(monkeypatch, Mesh("square", [[0, 1], [2, 3]]), small) == "square, flat"


@pytest.mark.usefixtures("started")
def test_meshes_none_of_which_holds_all_ranks_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match=r"is on 2 meshes, none of which has all .*enable\(\.\.\., group=\.\.\.\)"):
        found(monkeypatch, Mesh("one", [0, 1]), Mesh("other", [2, 3]))


def test_the_class_is_the_models_own_also_below_fsdp() -> None:
    from torch.distributed.fsdp import FSDPModule

    class Sharded(FSDPModule, nn.Linear):
        pass

    assert rank_groups.get_class_name(nn.Linear(1, 1)) == "Linear"
    assert rank_groups.get_class_name(object.__new__(Sharded)) == "Linear"
