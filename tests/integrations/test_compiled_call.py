"""A cache above a model that was compiled as a whole, with a stand-in for the compiled call."""

from __future__ import annotations

from typing import Any

import pytest
from torch import nn

from navicache.integrations.compiled_call import CompiledCallWrapper


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
    above = CompiledCallWrapper(module, pytest.fail, replaces_whole_calls=False)
    assert vars(module) == before and module(3) == 6
    above.restore_compiled_call()
    assert vars(module) == before


def test_the_compiled_call_is_the_engines_forward() -> None:
    module, seen = compiled(), []

    def answer(forward: Any, args: Any, kwargs: Any) -> Any:
        seen.append(above.is_running)
        return forward(*args, **kwargs) + 1000

    above = CompiledCallWrapper(module, answer, replaces_whole_calls=True)
    assert module(3) == 1103
    assert seen == [True] and not above.is_running


def test_inside_ends_with_an_error() -> None:
    module = compiled()

    def answer(*_: Any) -> Any:
        raise RuntimeError("broken")

    above = CompiledCallWrapper(module, answer, replaces_whole_calls=True)
    with pytest.raises(RuntimeError, match="broken"):
        module(3)
    assert not above.is_running


def test_parts_of_a_compiled_model_cannot_be_cached() -> None:
    module = compiled()
    own = module._compiled_call_impl
    with pytest.raises(ValueError, match="compile"):
        CompiledCallWrapper(module, pytest.fail, replaces_whole_calls=False)
    assert module._compiled_call_impl is own


def test_it_steps_down_unless_the_model_was_compiled_again() -> None:
    module = compiled()
    own = module._compiled_call_impl
    CompiledCallWrapper(module, pytest.fail, replaces_whole_calls=True).restore_compiled_call()
    assert module._compiled_call_impl is own
    above = CompiledCallWrapper(module, pytest.fail, replaces_whole_calls=True)
    newer = compiled(200)._compiled_call_impl
    module._compiled_call_impl = newer
    above.restore_compiled_call()
    assert module._compiled_call_impl is newer
