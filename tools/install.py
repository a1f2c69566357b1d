"""Install into .venv and show that it goes on: `python tools/install.py`, with `--dev` or `--docs` for more.

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
HOME = ROOT / ".venv"
EVERY = 10  # seconds between lines where the output is no terminal
OTHERS = ("-e", str(ROOT / "pocket"), "-e", str(ROOT / "opensora"))  # the other distributions of this repository
# What is not compiled now is compiled when it is imported, and that is little of it.
USERS = ("--no-compile", "-e", f"{ROOT}[diffusers,eval]", *OTHERS)
DEVELOPERS = ("-e", f"{ROOT}[diffusers,eval,ray]", "--group", f"{ROOT / 'pyproject.toml'}:dev")
WRITERS = ("--group", f"{ROOT / 'pyproject.toml'}:docs")
CLEAR = "\r\033[K"


class Line:
    """What is going on: a line of the terminal that keeps its place, or a new one now and then."""

    def __init__(self) -> None:
        """Begin to count seconds."""
        self.start, self.packages, self.doing = time.monotonic(), 0, ""
        self.terminal, self.over = sys.stdout.isatty(), Event()
        Thread(target=self._tick, daemon=True).start()

    def hear(self, words: str) -> None:
        """A line of pip's."""
        verb, _, rest = words.partition(" ")
        if verb == "Collecting":
            self.packages += 1
            self.doing = rest.split(" (")[0]
        elif verb == "Installing":
            self.doing = "unpacking"

    def close(self) -> None:
        """What it came to."""
        self.over.set()
        print(f"{CLEAR if self.terminal else ''}   {self._count()}", flush=True)

    def _tick(self) -> None:
        while not self.over.wait(1 if self.terminal else EVERY):
            text = f"   {self._count()}: {self.doing[:60]}"
            print(f"{CLEAR}{text}" if self.terminal else text, end="" if self.terminal else "\n", flush=True)

    def _count(self) -> str:
        return f"{self.packages} packages, {time.monotonic() - self.start:.0f} s"


def pip(*arguments: str) -> None:
    """Run pip behind the line; its words are shown if it fails."""
    command = [str(HOME / "bin" / "python"), "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
    line, said = Line(), []
    with subprocess.Popen(
        [*command, "--progress-bar", "off", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as running:
        for words in running.stdout or ():
            said.append(words.rstrip())
            line.hear(words.strip())
    line.close()
    if running.returncode:
        print("\n".join(said[-25:]), file=sys.stderr)
        sys.exit(running.returncode)


def wanted() -> tuple[str, tuple[str, ...]]:
    """What was asked for: its name, and what pip is given."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    more = parser.add_mutually_exclusive_group()
    more.add_argument("--dev", action="store_true", help="what the tests need, over what users need")
    more.add_argument("--docs", action="store_true", help="what the site is built with")
    options = parser.parse_args()
    if options.dev:
        return "what the tests need", DEVELOPERS
    return ("what builds the site", WRITERS) if options.docs else ("navicache", USERS)


def main() -> None:
    """Install it, with the versions of constraints.txt."""
    name, packages = wanted()
    pins = ("-c", str(ROOT / "constraints.txt"))
    if not (HOME / "bin" / "python").exists():
        venv.create(HOME, with_pip=True)
    print(f"== installing {name} into .venv", flush=True)
    if packages is not USERS:
        pip("--upgrade", "pip>=25.1", *pins)  # which knows dependency groups
    pip(*packages, *pins)


if __name__ == "__main__":
    main()
