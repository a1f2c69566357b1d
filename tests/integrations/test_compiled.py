"""A cache above a model that was compiled as a whole, with a stand-in for the compiled call."""

from __future__ import annotations

from typing import Any

import pytest
from torch import nn

from navicache.integrations.compiled import Above


class Plain(nn.Module):
    def forward(self, x: int) -> int:
        return 2 * x


def compiled(result: int = 100) -> Plain:
    """As `module.compile()` leaves it."""
    module = Plain()
    module._compiled_call_impl = lambda x: result + x
    return module


def test_it_stands_nowhere_where_nothing_is_compiled() -> None:
    module = Plain()
    before = dict(vars(module))
    above = Above(module, pytest.fail, whole=False)
    assert vars(module) == before and module(3) == 6
    above.step_down()
    assert vars(module) == before


def test_the_compiled_call_is_the_engines_forward() -> None:
    module, seen = compiled(), []

    def answer(forward: Any, args: Any, kwargs: Any) -> Any:
        seen.append(above.inside)
        return forward(*args, **kwargs) + 1000

    above = Above(module, answer, whole=True)
    assert module(3) == 1103
    assert seen == [True] and not above.inside


def test_inside_ends_with_an_error() -> None:
    module = compiled()

    def answer(*_: Any) -> Any:
        raise RuntimeError("broken")

    above = Above(module, answer, whole=True)
    with pytest.raises(RuntimeError, match="broken"):
        module(3)
    assert not above.inside


def test_parts_of_a_compiled_model_cannot_be_cached() -> None:
    module = compiled()
    own = module._compiled_call_impl
    with pytest.raises(ValueError, match="compile"):
        Above(module, pytest.fail, whole=False)
    assert module._compiled_call_impl is own


def test_it_steps_down_unless_the_model_was_compiled_again() -> None:
    module = compiled()
    own = module._compiled_call_impl
    Above(module, pytest.fail, whole=True).step_down()
    assert module._compiled_call_impl is own
    above = Above(module, pytest.fail, whole=True)
    newer = compiled(200)._compiled_call_impl
    module._compiled_call_impl = newer
    above.step_down()
    assert module._compiled_call_impl is newer
