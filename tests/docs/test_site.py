"""What the site makes of the code and of the pages: tools/site."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from tools.site import commands, links, modules, notes

from navicache.cli.main import COMMANDS

DOCS, SOURCE = links.DOCS, modules.PACKAGE


def test_every_module_is_in_the_tables():
    page = modules.on_page_markdown((DOCS / "design.md").read_text(encoding="utf-8"))
    assert modules.PLACEHOLDER not in page
    shown = [line.split("|")[1].strip(" `") for line in page.splitlines() if line.startswith("    | `")]
    there = [path.relative_to(SOURCE).parts[1:] for path in SOURCE.glob("*/**/*.py")]
    assert sorted(shown) == sorted("/".join(parts) for parts in there if parts != ("__init__.py",))


def test_a_module_says_what_it_is_for(tmp_path: Path):
    module = tmp_path / "module.py"
    module.write_text('"""One | two.\n\nMore.\n"""\n')
    assert modules.read_purpose(module) == r"One \| two."
    module.write_text("x = 1\n")
    with pytest.raises(ValueError, match="has no docstring"):
        modules.read_purpose(module)


def test_every_command_has_its_section():
    page = commands.on_page_markdown((DOCS / "cli.md").read_text(encoding="utf-8"))
    for name in COMMANDS:
        assert f"## navicache {name}\n" in page
    assert "--max-error" in page
    assert commands.PLACEHOLDER not in page


def test_links_that_leave_the_docs_go_to_the_host():
    page = SimpleNamespace(file=SimpleNamespace(abs_src_path=str(DOCS / "how-to" / "measure.md")))
    text = "[a](../bench.md#batches) [b](../../plans/table1.toml) [c](../results) [d](https://x.org/y) [e](gone.md)"
    assert links.on_page_markdown(text, page) == (
        f"[a](../bench.md#batches) [b]({links.read_repository_url()}/blob/main/plans/table1.toml) [c](../results/README.md) "
        "[d](https://x.org/y) [e](gone.md)"
    )


def test_notes_are_listed_newest_first():
    config = SimpleNamespace(nav=[{"Home": "README.md"}, {"Research": [{"Notes": "research/"}]}])
    listed = notes.on_config(config).nav[1]["Research"][0]["Notes"]
    assert listed[0] == "research/README.md"
    assert listed[1:] == sorted(listed[1:], reverse=True)
    assert len(listed) == 1 + len(list((DOCS / "research").glob("2*.md")))


def test_equations_become_mathml():
    pytest.importorskip("latex2mathml", reason="comes with `make docs`")
    from tools.site import maths

    drawn = maths.on_page_content(r'<p><span class="arithmatex">\(P &lt; Q\)</span> and</p>')
    assert drawn.startswith("<p><math ")
    assert drawn.endswith("</math> and</p>")
    assert "arithmatex" not in drawn


def test_docstrings_are_read_as_we_write_them(tmp_path: Path):
    griffe = pytest.importorskip("griffe", reason="comes with `make docs`")
    from tools.site.docstrings import DocstringExtension

    said = '"""Knobs.\n\n    Example:\n        >>> 1\n        1\n    """'
    (tmp_path / "ours.py").write_text(f"class Knobs:\n    {said}\n\n    x: int = 1  # how many\n    y: int = 2\n")
    module = griffe.load("ours", search_paths=[tmp_path], extensions=griffe.Extensions(DocstringExtension()))
    text = module["Knobs"].docstring.value
    assert "```python\n>>> 1\n1\n```" in text
    assert "\n\nAttributes:\n    x: how many" in text
    assert "y:" not in text
