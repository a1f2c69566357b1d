"""Safe file names for any plan and prompt."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

LONGEST_NAME = 240  # bytes of UTF-8; file systems take 255, and a number and a suffix follow
FORBIDDEN = frozenset('/\\:*?"<>|') | {chr(code) for code in range(32)}


def slug(text: str, longest: int = 64) -> str:
    """A folder name: ASCII letters, digits, dots between digits, and hyphens.

    Example:
        >>> slug("NaviCache (Ours) - fast"), slug("threshold=0.05"), slug("../../etc")
        ('navicache-ours-fast', 'threshold-0.05', 'etc')
    """
    words = "".join(c if (c.isascii() and c.isalnum()) or c == "." else " " for c in text.lower()).split()
    return "-".join(filter(None, (word.strip(".") for word in words)))[:longest].strip("-.") or "unnamed"


def file_stem(prompt: str) -> str:
    """A prompt as VBench expects it in a file name, if it is a valid one.

    A prompt that no file may be named after gets a name with a digest, so that no two prompts share one.

    Example:
        >>> file_stem("a boat on the Seine")
        'a boat on the Seine'
        >>> file_stem("../a")
        '.._a 65344c10'
    """
    clean = "".join("_" if c in FORBIDDEN else c for c in prompt).strip()
    if clean == prompt and clean not in ("", ".", "..") and len(clean.encode()) <= LONGEST_NAME:
        return clean
    mark = f" {digest({'prompt': prompt}, 8)}"
    return clean.encode()[: LONGEST_NAME - len(mark)].decode(errors="ignore") + mark


def digest(facts: Mapping[str, Any], length: int = 16) -> str:
    """A short hash of the facts, the same on every machine."""
    text = json.dumps(facts, sort_keys=True, ensure_ascii=False, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()[:length]
