"""Files that are either whole or not there."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4


@contextmanager
def open_atomic_file(path: str | os.PathLike[str]) -> Generator[BinaryIO, None, None]:
    """Open a file that takes its name only once it is written to the end; after an error the old one stands.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with open_atomic_file(Path(folder, "a.txt")) as file:
        ...         _ = file.write(b"whole")
        ...     Path(folder, "a.txt").read_text()
        'whole'
    """
    target = Path(path)
    if not target.parent.is_dir():
        raise FileNotFoundError(f"cannot write {target}: create the folder {target.parent} first")
    draft = target.parent / f".{uuid4().hex}.tmp"  # same folder, so that the last move is one rename
    try:
        with draft.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())  # the content reaches the disk before the name does
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)
