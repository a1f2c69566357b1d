"""Rewrite constraints.txt: `python tools/constraints.py`, or `make constraints`.

Everything is installed into an environment of its own, the newest that fits, and what came is written down. torch alone
keeps its version: it is what all else is tested against, and another one may bring gigabytes.
"""

import argparse
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[1]
CONSTRAINTS_FILE = ROOT / "constraints.txt"
EXTRAS, GROUPS = "diffusers,eval,ray", ("dev", "docs")
OWN_PACKAGES = ("navicache", "navicache-pocket", "navicache-opensora", "navicache-serving", "pip")
TORCH_DEPENDENCY_PREFIXES = (
    "nvidia-",
    "cuda-",
    "triton",
)  # torch itself pins what it brings, and brings other things elsewhere
HEADER = f"""\
# What `make` installs and the tests run with: `.[{EXTRAS}]`, `./opensora` and the groups {" and ".join(GROUPS)}.
# Written by `make constraints` on Python {{version}}, {{system}}. Test before you commit a change.
"""


def normalize_package_name(name: str) -> str:
    """Normalise a package's name as indexes do."""
    return name.lower().replace("_", "-").replace(".", "-")


def parse_pins(lines: Iterable[str]) -> dict[str, str]:
    """Parse the pins of other packages in a freeze, by package name, sorted.

    Example:
        >>> parse_pins(["zipp==4.1", "torch==2.13.0+cpu", "# a remark", "navicache @ file:///x", "nvidia-nccl==2"])
        {'torch': 'torch==2.13.0', 'zipp': 'zipp==4.1'}
    """
    named = {
        normalize_package_name(line.partition("==")[0]): line.partition("+")[0].strip()
        for line in lines
        if "==" in line
    }
    return {
        name: named[name]
        for name in sorted(named)
        if name not in OWN_PACKAGES and not name.startswith(TORCH_DEPENDENCY_PREFIXES)
    }


def list_pin_changes(before: dict[str, str], after: dict[str, str]) -> list[str]:
    """List the pins that were added, removed or changed.

    Example:
        >>> list_pin_changes({"a": "a==1", "b": "b==1"}, {"b": "b==2", "c": "c==1"})
        ['- a==1', '~ b==1 -> b==2', '+ c==1']
    """
    lines = []
    for name in sorted(before | after):
        old, new = before.get(name), after.get(name)
        if (old or "").lower() != (new or "").lower():  # a project may write its own name otherwise from now on
            lines.append(f"~ {old} -> {new}" if old and new else f"- {old}" if old else f"+ {new}")
    return lines


def install_and_freeze(python: Path, torch: str) -> list[str]:
    """Install everything in a new environment and return `pip freeze`."""
    pip = (str(python), "-m", "pip", "--disable-pip-version-check", "--no-input")
    subprocess.run([*pip, "install", "--quiet", "--upgrade", "pip>=25.1"], check=True)  # which knows dependency groups
    groups = [word for group in GROUPS for word in ("--group", f"{ROOT / 'pyproject.toml'}:{group}")]
    subprocess.run(
        [*pip, "install", "--quiet", torch, f"{ROOT}[{EXTRAS}]", str(ROOT / "opensora"), *groups], check=True
    )
    frozen = subprocess.run([*pip, "freeze", "--all"], check=True, capture_output=True, text=True)
    return frozen.stdout.splitlines()


def main() -> None:
    """Install, write the file, and print what changed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=CONSTRAINTS_FILE, help="where to write (default: constraints.txt)")
    out = parser.parse_args().out
    before = parse_pins(CONSTRAINTS_FILE.read_text(encoding="utf-8").splitlines())
    with tempfile.TemporaryDirectory() as home:
        venv.create(home, with_pip=True)
        after = parse_pins(install_and_freeze(Path(home) / "bin" / "python", before["torch"]))
    header = HEADER.format(version=".".join(map(str, sys.version_info[:2])), system=sys.platform.capitalize())
    out.write_text(header + "".join(f"{pin}\n" for pin in after.values()), encoding="utf-8")
    print("\n".join(list_pin_changes(before, after)) or "nothing changed")


if __name__ == "__main__":
    main()
