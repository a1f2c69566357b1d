"""Calls of `enable` in running text and tables are calls: each is made, on a small Wan."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import torch
from tests.docs.pages import name, pages
from tests.docs.small import save_settings
from tests.tiny.wan import build_wan

import navicache

CALL = re.compile(r"`(?:navicache\.)?(enable\(pipe[^`]*\))`")


def calls(page: Path) -> list[str]:
    """Those that can be made as they stand: some leave out what the reader knows, or name parts of another program."""
    found = CALL.findall(page.read_text(encoding="utf-8"))
    return [call for call in found if "..." not in call and "raw_dit" not in call]


PAGES = [page for page in pages() if calls(page)]


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_calls_can_be_made(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = {"enable": navicache.enable, "pipe": (pipe := build_wan()), "torch": torch, "N": 20}
    save_settings(tmp_path, dict(pipe.transformer.config))
    monkeypatch.chdir(tmp_path)
    for call in calls(page):
        eval(call, names).disable()


def test_a_call_that_cannot_be_made_is_found() -> None:
    with pytest.raises(ValueError, match="rows"):
        navicache.enable(build_wan(), rows="call")
