"""Every script is in the README and answers --help; every command and file that a page names is there."""

import doctest
import importlib
import re
import shlex
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "benchmarks"
README = (FOLDER / "README.md").read_text(encoding="utf-8")
FILES = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in sorted(FOLDER.rglob("*.py"))}
MODULES = [name for name, path in FILES.items() if '__name__ == "__main__"' in path.read_text(encoding="utf-8")]
CHILD = "benchmarks.vbench.child"  # is run by its path, in VBench's own Python
SCRIPTS = {name.removesuffix(".__main__"): name for name in MODULES if name != CHILD}
# Not the changelog and the research notes, which tell of what was.
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", FOLDER / "README.md", *FILES.values()]
PAGES += [*ROOT.glob("docs/*.md"), *ROOT.glob("docs/results/**/*.md")]
TEXTS = [path.read_text(encoding="utf-8") for path in PAGES]
PATH = re.compile(r"(?<!tests/)\bbenchmarks/[\w/.-]*\w(?![\w*])")


def commands(text):
    """What stands behind `python -m`, as words: up to the end of the line, of the quotation or of the cell."""
    for line in re.findall(r"python -m (benchmarks\.[^`|\n]*)", text):
        yield shlex.split(line, comments=True)


@cache
def usage(module):
    said = []
    with pytest.raises(SystemExit) as end, pytest.MonkeyPatch.context() as patch:
        patch.setattr("argparse.ArgumentParser.print_help", lambda parser, *_: said.append(parser.format_help()))
        importlib.import_module(SCRIPTS[module]).main(["--help"])
    assert end.value.code == 0
    return said[0]


def test_every_script_is_in_the_readme():
    assert {module for module, *_ in commands(README)} == set(SCRIPTS)


@pytest.mark.parametrize("module", SCRIPTS)
def test_every_script_answers_help_and_says_how_to_call_it(module):
    assert f"python -m {module}" in usage(module)


def test_every_option_that_a_page_names_is_one():
    named = [words for text in TEXTS for words in commands(text)]
    assert len(named) > len(SCRIPTS)
    for module, *words in named:
        options = set(re.findall(r"--[\w-]+", usage(module).split("options:")[1]))
        assert {word for word in words if word.startswith("--")} <= options, f"{module} {words}"


def test_every_path_that_a_page_names_is_there():
    named = {place for text in TEXTS for place in PATH.findall(text)}
    assert named and not [place for place in named if not (ROOT / place).exists()]


def test_every_committed_figure_is_in_the_readme_and_cited_by_a_page():
    pages = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs").rglob("*.md"))
    for path in filter(Path.is_file, (FOLDER / "results").rglob("*")):
        place = path.relative_to(FOLDER).as_posix()
        folder = re.sub(r"training_\d/.*", "training_*", place)  # logs of one training go by their folder
        folder = re.sub(r"(comfyui/[\w.]+)/\d+/", r"\1/*/", folder)  # and so do numbers of steps
        assert f"`{folder}`" in README, f"{place}: which command makes it?"
        assert f"`benchmarks/{folder}`" in pages or f"`{path.name}`" in pages, f"{place}: who cites it?"


@pytest.mark.parametrize("module", FILES)
def test_examples(module):
    assert doctest.testmod(importlib.import_module(module)).failed == 0
