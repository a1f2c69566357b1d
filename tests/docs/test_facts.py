"""What pages say about the code as a whole is so."""

from __future__ import annotations

import re

from benchmarks.survey.table import list_run
from tests.docs.pages import FENCE, ROOT
from tools.tables import COUNTED, COUNTING_PAGES, PART

from navicache.integrations.policy_choice import CacheOptions, choose_policy
from navicache.models import MODELS
from navicache.policies import POLICIES

MOST_WORDS = 800
MOST_WORDS_OF_ALL = 27_000
# Not among them: notes and results, which may be as long as they need, and what is for ports and other projects.
APART = {"research", "decisions", "results", "spec", "upstream"}


def words(text: str) -> int:
    """Those that a reader reads: code, the bars of tables and tables that are made from data are none."""
    return len(FENCE.sub("", PART.sub("", text)).replace("|", " ").split())


def test_the_readme_is_short():
    assert words((ROOT / "README.md").read_text(encoding="utf-8")) < MOST_WORDS


def test_the_pages_can_be_read_in_an_afternoon():
    pages = [page for page in (ROOT / "docs").rglob("*.md") if not APART.intersection(page.parts)]
    assert sum(words(page.read_text(encoding="utf-8")) for page in pages) < MOST_WORDS_OF_ALL


def test_the_default_is_as_fast_as_the_readme_says():
    told = re.findall(r"\(default: about (\d)\)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert told == [str(each) for each in {round(choose_policy(CacheOptions(), spec).speedup) for spec in MODELS}]


def test_every_policy_is_named_before_the_second_section():
    start, _, _ = (ROOT / "docs" / "policies.md").read_text(encoding="utf-8").partition("\n## 2. ")
    assert set(POLICIES) <= set(re.findall(r"`(\w+)`", start))


def test_the_pipelines_that_were_tried_are_counted_right():
    run = str(len(list_run()))
    for page in COUNTING_PAGES:
        told = COUNTED.findall((ROOT / page).read_text(encoding="utf-8"))
        assert told == [run], f"{page} must name {run} pipelines, once: `make tables` writes the number"
    table = (ROOT / "docs" / "compatibility.md").read_text(encoding="utf-8")
    assert re.findall(r"(\d+) were run", table) == [run], "docs/compatibility.md is stale: `make tables` writes it"
