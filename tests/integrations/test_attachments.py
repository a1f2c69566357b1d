"""An engine in front of one instance, and off again without a trace."""

from __future__ import annotations

import inspect

import pytest
from tests.integrations.stub import StubEngine
from torch import nn

from navicache.engine import CannotCache
from navicache.integrations.attachments import (
    CallableAttachment,
    ModuleAttachment,
    change_forward_below_offload,
    find_attachment,
    get_forward_signature,
)


class Doubling(nn.Module):
    def forward(self, x: int, *, more: int = 0) -> int:
        return 2 * x + more


def test_calls_of_one_instance_go_through_the_engine() -> None:
    module, other, engine = Doubling(), Doubling(), StubEngine()
    attached = ModuleAttachment(module, engine)
    assert (module(3, more=1), other(3)) == (7, 6)
    assert engine.told == ["attach", "call"]
    assert find_attachment(module) is attached and find_attachment(other) is None
    assert list(inspect.signature(module.forward).parameters) == ["x", "more"]


@pytest.mark.parametrize("shadowed", [False, True], ids=["of the class", "of the instance"])
def test_the_forward_is_put_back_as_it_was(shadowed: bool) -> None:
    module, engine = Doubling(), StubEngine()
    if shadowed:
        module.forward = lambda x: -x
    before = dict(vars(module))
    attached = ModuleAttachment(module, engine)
    attached.detach()
    assert vars(module) == before
    assert module(3) == (-3 if shadowed else 6)
    assert engine.told == ["attach", "detach", ("detached", False)]
    attached.detach()
    assert vars(module) == before
    assert engine.told.count("detach") == 1


def test_a_second_cache_is_refused_and_the_first_stays() -> None:
    module = Doubling()
    first = ModuleAttachment(module, StubEngine())
    second = StubEngine()
    with pytest.raises(ValueError, match="cached already: call disable"):
        ModuleAttachment(module, second)
    assert find_attachment(module) is first and second.told == []


def test_a_model_that_cannot_be_cached_is_left_alone() -> None:
    module, engine = Doubling(), StubEngine("no")
    ModuleAttachment(module, engine)
    with pytest.raises(CannotCache, match="no"):
        module(3)
    assert "forward" not in vars(module)
    assert module(3) == 6


def offloaded() -> tuple[Doubling, list[str]]:
    """A module as accelerate leaves it: its own forward aside, and one that moves weights before it."""
    module, moved = Doubling(), []

    def moving(*args: int, **kwargs: int) -> int:
        moved.append("moved")
        return module._old_forward(*args, **kwargs)

    module._old_forward = module.forward
    module.forward = moving
    return module, moved


def test_offload_stays_above_the_cache() -> None:
    module, moved = offloaded()
    outer, own, engine = module.forward, module._old_forward, StubEngine()
    attached = ModuleAttachment(module, engine)
    assert module(3) == 6 and moved == ["moved"] and engine.told == ["attach", "call"]
    assert module.forward is outer and find_attachment(module) is attached
    attached.detach()
    assert (module.forward, module._old_forward) == (outer, own)


def test_a_change_below_offload_sees_the_modules_own_forward() -> None:
    module, _ = offloaded()
    outer, own, seen = module.forward, module._old_forward, []
    change_forward_below_offload(module, lambda: seen.append(module.forward))
    assert seen == [own] and (module.forward, module._old_forward) == (outer, own)


def test_a_function_is_cached_by_its_handle_until_it_is_off() -> None:
    engine = StubEngine()
    attached = CallableAttachment(lambda x: 2 * x, engine)
    assert attached(3) == 6 and engine.told == ["call"]
    attached.detach()
    assert attached(3) == 6 and engine.told == ["call", ("detached", False)]


def test_a_function_that_cannot_be_cached_is_passed_through_from_then_on() -> None:
    attached = CallableAttachment(lambda x: 2 * x, StubEngine("no"))
    with pytest.raises(CannotCache):
        attached(3)
    assert attached(3) == 6


class Wrapper(nn.Module):
    """As torch.compile wraps a module."""

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self._orig_mod = module

    def forward(self, *args: object, **kwargs: object) -> object:
        return self._orig_mod(*args, **kwargs)


def test_signatures_are_those_of_the_forward() -> None:
    for target in (Doubling(), Wrapper(Doubling()), Doubling().forward):
        assert list(get_forward_signature(target).parameters) == ["x", "more"]


def test_what_has_no_signature_has_none() -> None:
    def odd() -> None: ...

    odd.__signature__ = "none"
    assert get_forward_signature(odd) is None
