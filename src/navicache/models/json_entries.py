"""Read a JSON file of ours: an object whose lists are knobs."""

import json
import os
from pathlib import Path
from typing import Any


def read_json_entries(path: str | os.PathLike[str], kind: str) -> dict[str, Any]:
    """The entries of a file; empty if it holds something else. `kind` is what an error calls the file."""
    try:
        found: Any = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"cannot read the {kind} {os.fspath(path)}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{os.fspath(path)} is no JSON file: {error}") from error
    return found if type(found) is dict else {}  # pyright: ignore[reportUnknownVariableType]


def freeze_list(value: Any) -> Any:
    """A list as a tuple, as knobs have it.

    Example:
        >>> freeze_list([0, 1]), freeze_list(2.0)
        ((0, 1), 2.0)
    """
    return tuple(value) if type(value) is list else value  # pyright: ignore
