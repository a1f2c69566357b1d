"""The draft for FastVideo: its own tests, on a stand-in for FastVideo's forward context and on FastVideo's own."""

from __future__ import annotations

import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from tests.recipes.hosts import checkout, load, opened

DRAFT = Path(__file__).parents[2] / "docs" / "upstream" / "fastvideo" / "fastvideo"
CONTEXT, HOOK = "fastvideo.forward_context", "fastvideo.hooks.step_cache"


def make_context() -> ModuleType:
    """As FastVideo's forward context, from its interface alone."""
    module, contexts = ModuleType(CONTEXT), list[Any]()

    @contextmanager
    def set_forward_context(current_timestep: Any, attn_metadata: Any, forward_batch: Any = None) -> Iterator[None]:
        contexts.append(SimpleNamespace(current_timestep=current_timestep, forward_batch=forward_batch))
        yield
        contexts.pop()

    vars(module).update(set_forward_context=set_forward_context, get_forward_context=lambda: contexts[-1])
    return module


def load_file(path: Path, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run_tests(monkeypatch: pytest.MonkeyPatch) -> int:
    """Run the draft's tests in this process."""
    monkeypatch.setitem(sys.modules, HOOK, load_file(DRAFT / "hooks" / "step_cache.py", HOOK))
    tests = load_file(DRAFT / "tests" / "hooks" / "test_step_cache.py", "test_step_cache")
    functions: list[Callable[[], None]] = [test for name, test in vars(tests).items() if name.startswith("test_")]
    for test in functions:
        test()
    return len(functions)


@pytest.mark.parametrize("whose", ["stand-in", pytest.param("theirs", marks=pytest.mark.recipes)])
def test_the_draft_on(whose: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with nullcontext() if whose == "stand-in" else opened(checkout("fastvideo"), "fastvideo", "fastvideo.hooks"):
        if whose == "stand-in":
            for name in ("fastvideo", "fastvideo.hooks"):
                monkeypatch.setitem(sys.modules, name, ModuleType(name))
            monkeypatch.setitem(sys.modules, CONTEXT, make_context())
        else:
            real = load(CONTEXT)
            assert [*inspect.signature(real.set_forward_context).parameters] == [
                *inspect.signature(make_context().set_forward_context).parameters
            ]
        assert run_tests(monkeypatch) == 4
