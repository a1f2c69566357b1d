"""What runs in VBench's own Python, which has no navicache: one look at what is there, or one dimension.

A script, with a task as JSON for its last argument; nothing but the standard library and VBench's packages is imported,
and those by their names only when they are needed. Python 3.9 must be able to read it.
"""

import argparse
import glob
import importlib
import json
import os
import sys
import threading
from pathlib import Path
from typing import Any


def main() -> None:
    """Carry out the task."""
    task = json.loads(sys.argv[-1])
    threading.Thread(target=leave_with_parent, daemon=True).start()
    {"look": look, "score": score}[task["do"]](task)


def leave_with_parent() -> None:
    """Stop when whoever started this is gone: their end of the pipe closes, even after a kill."""
    os.read(0, 1)  # not sys.stdin: its lock, held here, would end the interpreter with an error
    os._exit(1)


def look(task: dict[str, Any]) -> None:
    """Write down the version, the list of prompts, and which dimensions cannot be imported and why."""
    from importlib import metadata  # slow to import, and of no use to a dimension

    package = importlib.import_module("vbench")
    try:
        version = metadata.version("vbench")
    except metadata.PackageNotFoundError:  # a checkout that is not installed
        version = "unknown"
    broken = {}
    for dimension in task["dimensions"]:
        try:
            importlib.import_module(f"vbench.{dimension}")
        except Exception as error:  # whatever it is, the others are looked at as well
            broken[dimension] = f"{type(error).__name__}: {error}"
    prompts = Path(str(package.__file__)).resolve().parent / "VBench_full_info.json"
    found = {"version": version, "prompts": str(prompts), "broken": broken}
    Path(task["answer"]).write_text(json.dumps(found), encoding="utf-8")


def score(task: dict[str, Any]) -> None:
    """Let VBench score one dimension in its standard mode; it writes the file itself."""
    torch, package = importlib.import_module("torch"), importlib.import_module("vbench")
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    videos = still(task) if task["filter"] else task["videos"]
    judge = package.VBench(device, task["prompts"], task["out"])
    judge.evaluate(videos_path=videos, name=task["dimension"], dimension_list=[task["dimension"]])


def still(task: dict[str, Any]) -> str:
    """VBench's own filter with its own defaults: a folder of copies of the videos in which nothing moves."""
    utils = importlib.import_module("vbench.utils")
    utils.init_submodules(["dynamic_degree"])  # fetches RAFT, which the filter needs but does not fetch
    command = importlib.import_module("vbench.cli.static_filter")
    parser = argparse.ArgumentParser()
    command.register_subparsers(parser.add_subparsers())
    out = Path(task["out"]) / "filter"
    paths = ["--videos_path", glob.escape(task["videos"]), "--result_path", str(out)]
    options = parser.parse_args(["static_filter", *paths])
    options.func(options)
    return str(out / "filtered_videos")


if __name__ == "__main__":
    main()
