"""Test the studio in a separate environment: `make test-studio`.

Gradio asks for an older Pillow and tomlkit than constraints.txt has, so it cannot live in .venv. The environment is
.venv-studio; the first run fetches some gigabytes. Gradio's version is the one that the Space names. Arguments are
handed to pytest in place of the studio's folder.
"""

import os
import re
import subprocess
import sys
import tomllib

from tools.floor import ROOT, build_environment, drop_replaced_pins, list_project_arguments, list_test_tools

ENVIRONMENT = ROOT / ".venv-studio"
DEFAULT_TESTS = ("tests/studio",)
DOWNGRADED_PACKAGES = ("pillow", "tomlkit")  # than our own


def read_gradio_version(readme: str) -> str:
    """The version that the Space runs.

    Example:
        >>> read_gradio_version("sdk_version: 6.31.0")
        '6.31.0'
    """
    found = re.search(r"^sdk_version: ([\d.]+)$", readme, re.MULTILINE)
    if found is None:
        raise ValueError("spaces/README.md names no sdk_version: add the line, such as sdk_version: 6.31.0")
    return found[1]


def install_studio_environment(version: str, dev_requirements: list[str]) -> None:
    """Build the environment, once for each version of Gradio."""
    pins = drop_replaced_pins((ROOT / "constraints.txt").read_text(), dict.fromkeys(DOWNGRADED_PACKAGES, ""))
    build_environment(
        ENVIRONMENT,
        [f"gradio=={version}"],
        pins,
        [*list_project_arguments("studio"), *list_test_tools(dev_requirements)],
    )


def main() -> int:
    """Install what is missing, then test; returns pytest's exit status."""
    read = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    install_studio_environment(
        read_gradio_version((ROOT / "spaces" / "README.md").read_text(encoding="utf-8")),
        read["dependency-groups"]["dev"],
    )
    command = [str(ENVIRONMENT / "bin" / "python"), "-m", "pytest", "-q", "-m", "", *(sys.argv[1:] or DEFAULT_TESTS)]
    return subprocess.run(command, cwd=ROOT, env={"OMP_NUM_THREADS": "1", **os.environ}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
