"""`navicache doctor [MODEL]`: what the cache finds in a model, which policies fit, and what will not work."""

import argparse
import json
import platform
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from textwrap import shorten
from typing import Any

import torch

from navicache.generation.index_checks import list_index_problems
from navicache.generation.job import MODEL_HELP, POCKET, ModelSource
from navicache.generation.loading import locate_model, read_model_index
from navicache.generation.meta_denoisers import build_denoisers
from navicache.integrations.model_inspection import POSSIBLE_BY_STRUCTURE, ModelInspection, inspect_model
from navicache.records.text_table import TextColumn, format_table_lines
from navicache.version import __version__

NEEDED = {"torch": (2, 6), "diffusers": (0, 42), "transformers": (), "accelerate": ()}  # oldest version; () for any
MISSING = "missing"
LONGEST_REASON = 70


@dataclass(frozen=True)
class DoctorReport:
    """The whole report."""

    model: str
    pipeline: str
    versions: Mapping[str, str]
    findings: tuple[ModelInspection, ...]
    problems: tuple[str, ...]


def add_subcommand_options(parser: argparse.ArgumentParser) -> None:
    """Options of the subcommand."""
    parser.add_argument("model", nargs="?", default=POCKET, help=f"{MODEL_HELP} (%(default)s)")
    parser.add_argument("--json", action="store_true", help="everything, reasons in full, for other programs")


def run(options: argparse.Namespace) -> int:
    """Print the report; returns 1 if there is a problem."""
    report = diagnose(options.model)
    print(json.dumps(asdict(report), indent=1) if options.json else "\n".join(format_report_lines(report)))
    return 1 if report.problems else 0


def diagnose(model: str) -> DoctorReport:
    """Examine the model's configurations and this machine."""
    have = read_versions()
    problems = find_outdated(have)
    place = locate_model(ModelSource(model))
    index = read_model_index(place)
    built, unbuilt = build_denoisers(place, index)
    findings = tuple(inspect_model(name, part.model, part.config, len(built)) for name, part in built.items())
    wrong = [f"{found.name}: {problem}" for found in findings for problem in found.problems]
    found = dict.fromkeys((*problems, *list_index_problems(index, place), *unbuilt, *wrong))
    return DoctorReport(model, str(index.get("_class_name", "?")), have, findings, tuple(found))


def read_versions() -> dict[str, str]:
    """Versions of the packages, and the device."""
    accelerator = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else None
    device = str(accelerator or "cpu")
    own = {"navicache": __version__, "python": platform.python_version()}
    return {**own, **{name: _installed_version(name) for name in NEEDED}, "device": device}


def _installed_version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return MISSING


def find_outdated(have: Mapping[str, str]) -> list[str]:
    """Packages that are missing or too old.

    Example:
        >>> have = {"torch": "2.13.0+cpu", "diffusers": "0.30.1", "transformers": "5.0", "accelerate": "missing"}
        >>> find_outdated(have)
        ['diffusers 0.30.1 is too old: pip install "diffusers>=0.42"', 'accelerate is missing: pip install accelerate']
    """
    problems: list[str] = []
    for package, oldest in NEEDED.items():
        if have[package] == MISSING:
            problems.append(f"{package} is missing: pip install {package}")
        elif tuple(int(part) for part in have[package].split(".")[:2] if part.isdigit()) < oldest:
            wanted = ".".join(map(str, oldest))
            problems.append(f'{package} {have[package]} is too old: pip install "{package}>={wanted}"')
    return problems


def format_report_lines(report: DoctorReport) -> Iterator[str]:
    """The report as text."""
    yield "  ".join(f"{name} {value}" for name, value in report.versions.items())
    yield f"{report.model} ({report.pipeline})"
    for finding in report.findings:
        yield ""
        yield from _finding_lines(finding)
    yield ""
    yield from (f"wrong: {problem}" for problem in report.problems)
    if not report.problems:
        yield "nothing is wrong"


def _finding_lines(finding: ModelInspection) -> Iterator[str]:
    yield f"{finding.name}: {finding.kind}"
    facts = {role: ", ".join(map(str, places)) or "not found" for role, places in finding.places.items()}
    facts["blocks"] = "; ".join(f"{name}: {blocks}" for name, blocks in finding.lists.items()) or "none found"
    facts["modules"] = ", ".join(f"{count} {kind}" for kind, count in finding.modules.items() if count) or "none found"
    facts["presets"] = f"of {finding.known_as}" + (f" ({finding.note})" if finding.note else "")
    yield from (f"  {fact:<14}{value}" for fact, value in facts.items())
    yield ""
    possible = {"model": "possible", "blocks": POSSIBLE_BY_STRUCTURE, "modules": POSSIBLE_BY_STRUCTURE}
    rows: dict[str, list[str]] = {
        "site": list(finding.sites),
        "whether": [_shorten(f"no: {why}" if why else possible[site]) for site, why in finding.sites.items()],
    }
    yield from _table_lines(rows)
    yield ""
    yield from _table_lines(_policy_columns(finding))


def _policy_columns(finding: ModelInspection) -> dict[str, list[str]]:
    tried = finding.policies
    return {
        "policy": [each.policy for each in tried],
        "site": [each.site for each in tried],
        "whether": [_shorten(f"no: {each.refused}") if each.refused else "possible" for each in tried],
        "preset": [_shorten(each.preset) or "none" for each in tried],
    }


def _table_lines(columns: Mapping[str, list[Any]]) -> Iterator[str]:
    made = [TextColumn(name, cells, is_left_aligned=True) for name, cells in columns.items()]
    yield from (f"  {line}" for line in format_table_lines(made))


def _shorten(text: str) -> str:
    return shorten(text, LONGEST_REASON, placeholder=" ...")
