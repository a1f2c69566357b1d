"""Commands that a page shows are commands, with options their parsers know; plans are plans."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from tests.docs.pages import blocks, name, pages
from tools.site.commands import build_parser

from navicache.cli.main import COMMANDS
from navicache.evaluation.bench.plan_file import parse_plan


def commands(page: Path) -> list[list[str]]:
    text = "\n".join(block.code for block in blocks(page, "sh")).replace("\\\n", " ")
    return [
        words[1:]
        for words in (shlex.split(line, comments=True) for line in text.splitlines())
        if words[:1] == ["navicache"]
    ]


PAGES = [page for page in pages() if commands(page)]


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_command_can_be_typed(page: Path) -> None:
    for command, *words in commands(page):
        build_parser(command).parse_args(words)


def test_a_wrong_option_is_found(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        build_parser("generate").parse_args(["--no-such-option"])
    assert "unrecognized arguments" in capsys.readouterr().err


def test_every_command_is_shown_somewhere() -> None:
    shown = {words[0] for page in PAGES for words in commands(page)}
    assert set(COMMANDS) - shown <= {"models", "convert-opensora", "vbench"}  # named in the text


@pytest.mark.parametrize("page", [page for page in pages() if blocks(page, "toml")], ids=name)
def test_plans_are_plans(page: Path) -> None:
    for block in blocks(page, "toml"):
        assert parse_plan(block.code).settings
