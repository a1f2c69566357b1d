"""Run the tests on the oldest torch and diffusers that pyproject.toml allows: `make test-floor`.

The environment is .venv-floor; the first run fetches some gigabytes, since PyPI's torch for Linux on x86 brings CUDA
along. All other packages are those of constraints.txt. Arguments are handed to pytest in place of the usual folders:
`python tools/floor.py tests/engine -x`.
"""

import os
import re
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
HOME = ROOT / ".venv-floor"
TESTS = ("tests/engine", "tests/integrations")  # what lies below the engine imports neither torch nor diffusers
OWN = {"sympy"}  # torch asks for one version of it
TOO_NEW = {"torchao", "pyright"}  # the first asks for torch 2.11, the second is of no use here
LOWEST = re.compile(r"([\w-]+)>=([\w.]+)")


def floors(project: dict) -> dict[str, str]:
    """The lowest version of every requirement that users install, where it has one."""
    needed = [*project["dependencies"], *project["optional-dependencies"]["diffusers"]]
    return dict(found.groups() for found in map(LOWEST.match, needed) if found)


def other_pins(constraints: str, lowest: dict[str, str]) -> str:
    """The constraints without those that the floor replaces."""
    replaced = OWN | lowest.keys()
    return "\n".join(line for line in constraints.splitlines() if line.partition("==")[0].lower() not in replaced)


def tools(group: list[str]) -> list[str]:
    """What the tests need beside the project."""
    return [need for need in group if re.split(r"[\[>=]", need)[0] not in TOO_NEW]


def build(home: Path, wanted: list[str], pins: str, others: list[str]) -> None:
    """Make an environment, once for each list of wanted versions."""
    stamp = home / ".installed"
    if stamp.exists() and stamp.read_text() == "\n".join(wanted):
        return
    print(f"== installing {' and '.join(wanted)} into {home.name}: some minutes and gigabytes", flush=True)
    venv.create(home, with_pip=True, clear=True)
    (home / "pins.txt").write_text(pins)
    pip = (str(home / "bin" / "python"), "-m", "pip", "install", "-q", "--disable-pip-version-check")
    subprocess.run([*pip, "-c", str(home / "pins.txt"), *wanted, *others], check=True)
    stamp.write_text("\n".join(wanted))


def projects(extras: str) -> list[str]:
    """All distributions of this repository, as pip is given them."""
    return ["-e", f"{ROOT}[{extras}]", "-e", str(ROOT / "pocket"), "-e", str(ROOT / "opensora")]


def install(lowest: dict[str, str], group: list[str]) -> None:
    """Make the environment of the floor."""
    wanted = [f"{name}=={version}" for name, version in lowest.items()]
    pins = other_pins((ROOT / "constraints.txt").read_text(), lowest)
    build(HOME, wanted, pins, [*projects("diffusers,eval"), *tools(group)])


def main() -> int:
    """Install what is missing, then test; gives pytest's exit status."""
    read = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    install(floors(read["project"]), read["dependency-groups"]["dev"])
    arguments = sys.argv[1:] or TESTS
    command = [str(HOME / "bin" / "python"), "-m", "pytest", "-q", "-n", "2", "--dist", "loadfile", *arguments]
    return subprocess.run(command, cwd=ROOT, env={"OMP_NUM_THREADS": "1", **os.environ}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
