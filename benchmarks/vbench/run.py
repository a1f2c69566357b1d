"""VBench in a process of its own: one dimension at a time, its raw result kept, and nothing done twice."""

import json
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.vbench.scores import ENDING, read_result_file
from navicache.records import open_atomic_file

CHILD = Path(__file__).with_name("child.py")
# Run by its path, it would find the modules beside it in place of packages of those names.
START = "import runpy, sys; runpy.run_path(sys.argv[1], run_name='__main__')"
INSTALL = "pip install --no-deps vbench==0.1.5 decord2, and what its dimensions ask for"
ELSEWHERE = "name the Python that has it with --python"


class ScoringFailed(Exception):
    """One dimension could not be scored; the others can."""


@dataclass(frozen=True)
class VBenchInstall:
    """What a Python has of VBench."""

    python: str
    version: str
    prompts: Path
    broken: Mapping[str, str]  # dimensions that cannot be imported, and why


@dataclass(frozen=True)
class RawResults:
    """The raw results of a setting: a file a dimension, and beside it what it was made from."""

    folder: Path

    def result(self, dimension: str) -> Path:
        """As VBench wrote it."""
        return self.folder / f"{dimension}{ENDING}"

    def made_from(self, dimension: str) -> Path:
        """The facts of that result."""
        return self.folder / f"{dimension}_made_from.json"

    def score(self, dimension: str, facts: Mapping[str, Any]) -> float | None:
        """What is there; None where nothing is, or it was made from something else."""
        made_from = self.made_from(dimension)
        if not (made_from.is_file() and self.result(dimension).is_file()):
            return None
        if json.loads(made_from.read_text(encoding="utf-8")) != facts:
            return None
        return read_result_file(self.result(dimension))[dimension]

    def take(self, dimension: str, facts: Mapping[str, Any], draft: Path) -> None:
        """Keep a result that is whole; the old one goes first, so that no result has another's facts."""
        self.result(dimension).unlink(missing_ok=True)
        with open_atomic_file(self.made_from(dimension)) as file:
            file.write(json.dumps(facts, indent=1).encode() + b"\n")
        with open_atomic_file(self.result(dimension)) as file:
            file.write(draft.read_bytes())


def inspect_vbench(python: str, dimensions: tuple[str, ...]) -> VBenchInstall:
    """Import VBench over there, and what these dimensions need."""
    with tempfile.TemporaryDirectory() as scratch:
        answer, log = Path(scratch) / "answer.json", Path(scratch) / "log"
        task = {"do": "look", "dimensions": dimensions, "answer": str(answer)}
        try:
            status = _run_child(python, task, log)
        except OSError as error:
            raise ValueError(f"--python {python} cannot be started: {error}") from error
        if status or not answer.is_file():
            raise ValueError(f"no VBench in {python} ({_last_line(log)}): {INSTALL}; or {ELSEWHERE}")
        found = json.loads(answer.read_text(encoding="utf-8"))
    return VBenchInstall(python, found["version"], Path(found["prompts"]), found["broken"])


def score_dimension(
    installed: VBenchInstall, kept: RawResults, dimension: str, facts: Mapping[str, Any], videos: Path
) -> None:
    """One dimension over the videos of a folder; its raw result is kept, or all is as before and Failed says why."""
    log = kept.folder / f"{dimension}.log"
    with tempfile.TemporaryDirectory() as scratch:
        task = {
            "do": "score",
            "dimension": dimension,
            "videos": str(videos.resolve()),
            "filter": facts["static_filter"],
            "prompts": str(installed.prompts),
            "out": scratch,
        }
        status = _run_child(installed.python, task, log)
        draft = Path(scratch) / f"{dimension}{ENDING}"
        if status or not draft.is_file():
            raise ScoringFailed(f"{_last_line(log)} (exit status {status}; all it said: {log})")
        _check_result(draft, dimension, log)
        kept.take(dimension, facts, draft)


def _check_result(draft: Path, dimension: str, log: Path) -> None:
    try:
        found = read_result_file(draft)
    except ValueError as error:
        said = str(error).removeprefix(f"{draft} ")  # that file will be gone
        raise ScoringFailed(f"its result {said} (all it said: {log})") from error
    if dimension not in found:
        raise ScoringFailed(
            f"VBench wrote a result of {', '.join(found) or 'nothing'} in its place (all it said: {log})"
        )


def _run_child(python: str, task: Mapping[str, Any], log: Path) -> int:
    """The pipe stays open while this process lives: the child looks at it to know when to stop."""
    command = [python, "-c", START, str(CHILD), json.dumps(task)]
    with (
        log.open("wb") as file,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=file, stderr=subprocess.STDOUT) as process,
    ):
        try:
            return process.wait()
        except BaseException:  # Ctrl-C too: it must not go on alone
            process.kill()
            raise


def _last_line(log: Path) -> str:
    lines = [line.strip() for line in log.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
    return lines[-1] if lines else "it said nothing"
