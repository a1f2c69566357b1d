"""Every Python block of the pages runs, in its order, and prints what the page says.

A page is one session, in an empty folder. `pipe`, where a page does not make it, is a small Wan, and so is whatever a
page loads: `small.py`. A `print` with a comment behind it prints that comment; "..." there stands for anything.
"""

from __future__ import annotations

import ast
import doctest
import shutil
import socket
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from diffusers import WanTransformer3DModel
from tests.docs.pages import ROOT, Block, blocks, name, pages
from tests.docs.small import Loading, save_settings
from tests.tiny.saved import save_wan

from navicache.pocket import calibration_path

PAGES = [page for page in pages() if blocks(page, "python")]
AS_THEY_STAND = [ROOT / "docs" / "tutorial.md", ROOT / "docs" / "pocket.md"]


class Session:
    """The names that the blocks of a page share, and what each line has printed."""

    def __init__(self, page: Path, pipe: Any) -> None:
        self.page, self.printed = page, defaultdict(list)
        self.names: dict[str, Any] = {"__name__": "__main__", "pipe": pipe, "print": self.hear}

    def hear(self, *things: Any) -> None:
        self.printed[sys._getframe(1).f_lineno].append(" ".join(map(str, things)))

    def run(self, block: Block) -> None:
        """Lines are counted as on the page, so that an error names its line there."""
        self.printed.clear()
        code = "\n" * (block.line - 1) + block.code
        exec(compile(code, str(self.page), "exec"), self.names)
        if block.prints is not None:
            assert self.said() == block.prints
        for line, comment in remarks(code):
            assert alike("\n".join(self.printed[line]), comment), f"line {line} printed {self.printed[line]}"

    def said(self) -> str:
        return "".join(f"{text}\n" for texts in self.printed.values() for text in texts)


def remarks(code: str) -> list[tuple[int, str]]:
    """The comments behind calls of `print`, by their lines."""
    lines = code.splitlines()
    calls = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call) and is_print(node)]
    ends = {call.lineno: lines[call.end_lineno - 1][call.end_col_offset :].strip() for call in calls}
    return [(line, rest.removeprefix("# ")) for line, rest in ends.items() if rest.startswith("# ")]


def is_print(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id == "print"


def alike(got: str, want: str) -> bool:
    return doctest.OutputChecker().check_output(f"{want}\n", f"{got}\n", doctest.ELLIPSIS)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with what a page expects to be there."""
    shutil.copy(calibration_path("teacache"), tmp_path / "teacache.json")
    config = WanTransformer3DModel.load_config(save_wan(tmp_path / "measured") / "transformer")
    save_settings(tmp_path, config, steps=50)
    with socket.socket() as free:
        free.bind(("localhost", 0))
        monkeypatch.setenv("MASTER_PORT", str(free.getsockname()[1]))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_the_blocks_of_a_page_run(page: Path, desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loading = Loading(desk / "wan", real=False)
    loading.replace(monkeypatch)
    session = Session(page, loading.wan())
    for block in blocks(page, "python"):
        if not block.slow:
            session.run(block)


@pytest.mark.slow
@pytest.mark.parametrize("page", AS_THEY_STAND, ids=name)
def test_pages_about_the_embedded_model_run_as_they_stand(
    page: Path, desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loading = Loading(desk / "wan", real=True)
    loading.replace(monkeypatch)
    session = Session(page, None)
    for block in blocks(page, "python"):
        session.run(block)
    if page.name == "tutorial.md":  # which names these figures
        assert 57 < session.names["scores"].psnr < 59


def test_blocks_that_do_not_run_every_time_are_few() -> None:
    assert sum(block.slow for page in pages() for block in blocks(page, "python")) <= 1


def test_a_wrong_remark_is_found(tmp_path: Path) -> None:
    right, wrong = (Block("python", f"print(1 + 1)  # {said}\n", 1, False, None) for said in ("2", "3"))
    Session(tmp_path, None).run(right)
    with pytest.raises(AssertionError, match="line 1 printed"):
        Session(tmp_path, None).run(wrong)


def test_a_wrong_output_is_found(tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        Session(tmp_path, None).run(Block("python", "print('a')\nprint('b')\n", 1, False, "a\nc\n"))
