"""Run the survey and write its rows: `python -m benchmarks.survey [CLASS ...]`, then `make tables`.

Without names every class is run that the installed diffusers has; with names, these, and the other rows stay.
"""

from __future__ import annotations

import argparse
import json
import logging
import signal
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import diffusers
import torch

import navicache
from benchmarks.survey.measure import Row, measure
from benchmarks.survey.subjects import find_subject, list_pipelines
from benchmarks.survey.table import BUILDING, ROWS
from benchmarks.survey.unreached import UNREACHED
from navicache.records import open_atomic_file

LIMIT = 120  # seconds of CPU time that one class may take


def survey_class(name: str, kind: type) -> dict[str, Any]:
    """The row of a class; an error becomes its problem."""
    if name in UNREACHED:
        return vars(Row(name, problem=UNREACHED[name]))
    subject = find_subject(name, kind)
    if subject is None:
        return vars(Row(name, problem=BUILDING))
    signal.setitimer(signal.ITIMER_PROF, LIMIT)
    try:
        return {**measure(name, subject), "note": subject.note}
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        said = (str(error).splitlines() or [""])[0][:200]
        problem = f"{type(error).__name__}: {said} ({Path(place.filename).name}, {place.name})"
        return vars(Row(name, problem=problem))
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and write after every class."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("classes", nargs="*")
    parser.add_argument("--out", type=Path, default=ROWS)
    parser.add_argument("--missing", action="store_true", help="only classes that have no good row yet")
    args = parser.parse_args(arguments)
    kinds, versions = list_pipelines(), list_versions()
    kept = read_kept(args.out)
    if kept["versions"] != versions:
        if args.classes or args.missing:
            parser.error(f"the other rows are of {kept['versions']}, not of {versions}: run all classes")
        write_rows(args.out, versions, {})  # a run that ends early leaves no rows of before
    with _be_quiet():
        for name, kind in kinds.items():
            good = name in kept["rows"] and not kept["rows"][name]["problem"]
            if (args.classes and name not in args.classes) or (args.missing and good):
                continue
            row = survey_class(name, kind)
            print(name, row["problem"] or f"{row['computed']} of {row['steps']}", flush=True)
            rows = {**read_kept(args.out)["rows"], name: row}  # read again: another run may write to the same file
            write_rows(args.out, versions, {name: rows[name] for name in sorted(rows) if name in kinds})
    return 0


def list_versions() -> dict[str, str]:
    """Of what the rows depend on."""
    return {"navicache": navicache.__version__, "diffusers": diffusers.__version__, "torch": torch.__version__}


def read_kept(path: Path) -> dict[str, Any]:
    """The versions and rows of the runs before."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"versions": list_versions(), "rows": {}}


def write_rows(path: Path, versions: dict[str, str], rows: dict[str, Any]) -> None:
    """One row a line, so that a change of one is a change of one line."""
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(row)}" for name, row in rows.items())
    with open_atomic_file(path) as file:
        file.write(f'{{"versions": {json.dumps(versions)},\n"rows": {{\n{lines}\n}}}}\n'.encode())


@contextmanager
def _be_quiet() -> Iterator[None]:
    """No warnings of pipelines, one thread, and a signal that ends a class which takes too long."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    before = signal.signal(signal.SIGPROF, _stop)
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        torch.set_num_threads(threads)
        logging.disable(logging.NOTSET)
        signal.signal(signal.SIGPROF, before)


def _stop(*_: Any) -> None:
    raise TimeoutError(f"took more than {LIMIT} s of CPU time")


if __name__ == "__main__":
    raise SystemExit(main())
