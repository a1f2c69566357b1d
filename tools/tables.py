"""Write the generated parts of the pages: `make tables`, or `python -m tools.tables`; `--check` writes nothing.

A part lies between `<!-- table: NAME -->` and `<!-- end of table -->`, and is made from the code. Other pages name the
number of pipelines that were run, in the words of a link: it is written there too.
"""

import argparse
import re
import sys
from collections.abc import Callable
from pathlib import Path

from benchmarks.survey.table import count_line, list_run, pipeline_table, unreached_table

from navicache.policies import POLICIES

ROOT = Path(__file__).parents[1]
PART = re.compile(r"(<!-- table: ([a-z]+) -->\n).*?(<!-- end of table -->)", re.DOTALL)


def policy_table() -> str:
    """Every policy of the catalog: its name, and what its class says of itself."""
    lines = ["| policy | what it does |", "|---|---|"]
    for name, policy in POLICIES.items():
        rule = (policy.__doc__ or "").strip().splitlines()[0]
        lines.append(f"| `{name}` | {rule} |")
    return "\n".join(lines)


TABLES: dict[str, Callable[[], str]] = {
    "policies": policy_table,
    "pipelines": pipeline_table,
    "unreached": unreached_table,
    "counts": count_line,
}
COUNTED = re.compile(r"(?<=\[)\d+(?= (?:pipelines|were run)\b)")
COUNTING_PAGES = ("README.md", "docs/faq.md", "docs/tutorial.md", "docs/how-to/own-model.md")
PAGES = ("docs/policies.md", "docs/compatibility.md", *COUNTING_PAGES)


def fill_tables(text: str) -> str:
    """The page with every generated part as the code has it now."""
    text = PART.sub(lambda found: f"{found[1]}\n{TABLES[found[2]]()}\n\n{found[3]}", text)
    return COUNTED.sub(str(len(list_run())), text)


def main() -> int:
    """Write the pages, or say which are stale."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="say which pages are stale, and write nothing")
    check, stale = parser.parse_args().check, []
    for name in PAGES:
        page = ROOT / name
        text = page.read_text(encoding="utf-8")
        if (filled := fill_tables(text)) != text:
            stale.append(name)
            if not check:
                page.write_text(filled, encoding="utf-8")
    print(f"{'stale' if check else 'written'}: {', '.join(stale) or 'nothing'}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
