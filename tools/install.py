"""Install into .venv and show progress: `python tools/install.py`, with `--dev` or `--docs` for more.

pip says either nothing for minutes or a thousand lines. Here one line counts packages and seconds; what pip said is
shown only where it failed.
"""

import argparse
import subprocess
import sys
import time
import venv
from pathlib import Path
from threading import Event, Thread

ROOT = Path(__file__).parents[1]
ENVIRONMENT = ROOT / ".venv"
LOG_INTERVAL = 10  # seconds between lines where the output is no terminal
# The other distributions of this repository:
OTHERS = tuple(word for name in ("pocket", "opensora", "serving") for word in ("-e", str(ROOT / name)))
# What is not compiled now is compiled when it is imported, and that is little of it.
USER_PACKAGES = ("--no-compile", "-e", f"{ROOT}[diffusers,eval]", *OTHERS)
DEVELOPER_PACKAGES = ("-e", f"{ROOT}[diffusers,eval,ray]", "--group", f"{ROOT / 'pyproject.toml'}:dev")
DOCS_PACKAGES = ("--group", f"{ROOT / 'pyproject.toml'}:docs")
CLEAR_LINE = "\r\033[K"


class ProgressLine:
    """The progress line: updated in place in a terminal, else printed again from time to time."""

    def __init__(self) -> None:
        """Start the clock."""
        self.start, self.packages, self.activity = time.monotonic(), 0, ""
        self.is_terminal, self.closed = sys.stdout.isatty(), Event()
        Thread(target=self._print_until_closed, daemon=True).start()

    def read_pip_line(self, text: str) -> None:
        """Read a line of pip's output."""
        verb, _, rest = text.partition(" ")
        if verb == "Collecting":
            self.packages += 1
            self.activity = rest.split(" (")[0]
        elif verb == "Installing":
            self.activity = "unpacking"

    def close(self) -> None:
        """Print the result."""
        self.closed.set()
        print(f"{CLEAR_LINE if self.is_terminal else ''}   {self._format_progress()}", flush=True)

    def _print_until_closed(self) -> None:
        while not self.closed.wait(1 if self.is_terminal else LOG_INTERVAL):
            text = f"   {self._format_progress()}: {self.activity[:60]}"
            print(f"{CLEAR_LINE}{text}" if self.is_terminal else text, end="" if self.is_terminal else "\n", flush=True)

    def _format_progress(self) -> str:
        return f"{self.packages} packages, {time.monotonic() - self.start:.0f} s"


def run_pip_install(*arguments: str) -> None:
    """Run pip behind the progress line; its output is shown if it fails."""
    command = [str(ENVIRONMENT / "bin" / "python"), "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
    line, said = ProgressLine(), []
    with subprocess.Popen(
        [*command, "--progress-bar", "off", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as running:
        for words in running.stdout or ():
            said.append(words.rstrip())
            line.read_pip_line(words.strip())
    line.close()
    if running.returncode:
        print("\n".join(said[-25:]), file=sys.stderr)
        sys.exit(running.returncode)


def choose_packages() -> tuple[str, tuple[str, ...]]:
    """Choose the packages by the options: a name for them, and the arguments of pip."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    more = parser.add_mutually_exclusive_group()
    more.add_argument("--dev", action="store_true", help="what the tests need, over what users need")
    more.add_argument("--docs", action="store_true", help="what the site is built with")
    options = parser.parse_args()
    if options.dev:
        return "what the tests need", DEVELOPER_PACKAGES
    return ("what builds the site", DOCS_PACKAGES) if options.docs else ("navicache", USER_PACKAGES)


def main() -> None:
    """Install the packages, with the versions of constraints.txt."""
    name, packages = choose_packages()
    pins = ("-c", str(ROOT / "constraints.txt"))
    if not (ENVIRONMENT / "bin" / "python").exists():
        venv.create(ENVIRONMENT, with_pip=True)
    print(f"== installing {name} into .venv", flush=True)
    if packages is not USER_PACKAGES:
        run_pip_install("--upgrade", "pip>=25.1", *pins)  # which knows dependency groups
    run_pip_install(*packages, *pins)


if __name__ == "__main__":
    main()
