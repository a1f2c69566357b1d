"""The engine for a policy's site, and what can be reached inside a model."""

from __future__ import annotations

import pytest
import torch
from tests.tiny import TINY
from torch import nn

from navicache.engine import BlockEngine, CallReader, ModelEngine, ModuleEngine
from navicache.integrations.attachments import get_forward_signature
from navicache.integrations.engine_builder import build_engine, describe_model_structure
from navicache.models import CallSpec
from navicache.policies import build_policy


@pytest.mark.parametrize(
    ("policy", "knobs", "kind"),
    [
        ("static", {}, ModelEngine),
        ("inertial", {"speedup": 2.0, "site": "blocks"}, BlockEngine),
        ("firstblockcache", {}, BlockEngine),
        ("pab", {}, ModuleEngine),
    ],
)
def test_a_site_has_its_engine_and_building_it_changes_nothing(policy, knobs, kind) -> None:
    model = TINY["wan"].build().transformer
    before = {name: dict(vars(part)) for name, part in model.named_modules()}
    reader = CallReader(CallSpec(), get_forward_signature(model))
    built = build_engine(build_policy(policy, **knobs), reader, model, (), model="toy", call=CallSpec())
    assert type(built) is kind
    assert {name: dict(vars(part)) for name, part in model.named_modules()} == before


class Renamed(nn.Module):
    """Blocks under a name nobody would guess, beside a list of something else."""

    def __init__(self) -> None:
        super().__init__()
        self.towers = nn.ModuleList(nn.Linear(2, 2) for _ in range(3))
        self.heads = nn.ModuleList([nn.Identity()])

    def forward(self, x: torch.Tensor, t: float) -> torch.Tensor:
        for block in self.towers:
            x = block(x)
        return x


def test_lists_of_blocks_are_taken_by_the_names_that_were_told() -> None:
    model = Renamed()
    found = describe_model_structure(model, "any", ("towers",))
    assert dict(found.block_lists) == {"towers": model.towers}


def test_a_name_that_is_no_list_is_refused() -> None:
    with pytest.raises(ValueError, match="nowhere"):
        describe_model_structure(Renamed(), "any", ("nowhere",))


def test_a_function_has_no_inside() -> None:
    with pytest.raises(TypeError, match="policy 'pab' caches parts inside a model, and a function is not a module"):
        describe_model_structure(lambda x, t: x, "pab")


def test_a_model_wrapped_by_compile_is_refused_inside() -> None:
    with pytest.raises(ValueError, match="compile"):
        describe_model_structure(torch.compile(Renamed(), backend="eager"), "pab", ("towers",))
