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
ENVIRONMENT = ROOT / ".venv-floor"
# What lies below the engine imports neither torch nor diffusers:
DEFAULT_TESTS = ("tests/engine", "tests/integrations", "tests/serving")
TORCH_PINNED = {"sympy"}  # torch asks for one version of it
INCOMPATIBLE_TOOLS = {"torchao", "pyright"}  # the first asks for torch 2.11, the second is of no use here
LOWEST_VERSION = re.compile(r"([\w-]+)>=([\w.]+)")


def find_lowest_versions(project: dict) -> dict[str, str]:
    """Find the lowest allowed version of every requirement that has one."""
    needed = [*project["dependencies"], *project["optional-dependencies"]["diffusers"]]
    return dict(found.groups() for found in map(LOWEST_VERSION.match, needed) if found)


def drop_replaced_pins(constraints: str, lowest: dict[str, str]) -> str:
    """Drop the constraints that the lowest versions replace."""
    replaced = TORCH_PINNED | lowest.keys()
    return "\n".join(line for line in constraints.splitlines() if line.partition("==")[0].lower() not in replaced)


def list_test_tools(dev_requirements: list[str]) -> list[str]:
    """List the packages that the tests need beside the project."""
    return [need for need in dev_requirements if re.split(r"[\[>=]", need)[0] not in INCOMPATIBLE_TOOLS]


def build_environment(environment: Path, requirements: list[str], pins: str, other_requirements: list[str]) -> None:
    """Build an environment, once for each list of requirements."""
    stamp = environment / ".installed"
    if stamp.exists() and stamp.read_text() == "\n".join(requirements):
        return
    print(f"== installing {' and '.join(requirements)} into {environment.name}: some minutes and gigabytes", flush=True)
    venv.create(environment, with_pip=True, clear=True)
    (environment / "pins.txt").write_text(pins)
    pip = (str(environment / "bin" / "python"), "-m", "pip", "install", "-q", "--disable-pip-version-check")
    subprocess.run([*pip, "-c", str(environment / "pins.txt"), *requirements, *other_requirements], check=True)
    stamp.write_text("\n".join(requirements))


def list_project_arguments(extras: str) -> list[str]:
    """All distributions of this repository, as arguments of pip."""
    others = [word for name in ("pocket", "opensora", "serving") for word in ("-e", str(ROOT / name))]
    return ["-e", f"{ROOT}[{extras}]", *others]


def install_floor_environment(lowest: dict[str, str], dev_requirements: list[str]) -> None:
    """Build the environment with the lowest versions."""
    wanted = [f"{name}=={version}" for name, version in lowest.items()]
    pins = drop_replaced_pins((ROOT / "constraints.txt").read_text(), lowest)
    build_environment(
        ENVIRONMENT, wanted, pins, [*list_project_arguments("diffusers,eval"), *list_test_tools(dev_requirements)]
    )


def main() -> int:
    """Install what is missing, then test; returns pytest's exit status."""
    read = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    install_floor_environment(find_lowest_versions(read["project"]), read["dependency-groups"]["dev"])
    arguments = sys.argv[1:] or DEFAULT_TESTS
    command = [str(ENVIRONMENT / "bin" / "python"), "-m", "pytest", "-q", "-n", "2", "--dist", "loadfile", *arguments]
    return subprocess.run(command, cwd=ROOT, env={"OMP_NUM_THREADS": "1", **os.environ}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
