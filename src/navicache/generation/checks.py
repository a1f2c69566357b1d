"""Checks that find wrong options before the heavy work; every message says what to write instead."""

import tempfile
from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

WAN = "WanTransformer3DModel"  # its pipelines round sizes they cannot make, and only log it


def check_output(out: Path) -> None:
    """Refuse a folder that cannot be written to; nothing is left in it."""
    nearest = next(path for path in (out, *out.absolute().parents) if path.exists())
    if not nearest.is_dir():
        raise ValueError(f"cannot write to {out}: {nearest} is a file; name another folder with --out")
    try:
        with tempfile.TemporaryFile(dir=nearest):
            pass
    except OSError as error:
        raise ValueError(f"cannot write to {out}: {error.strerror}; name another folder with --out") from error


def check_sizes(pipe: Any, arguments: Mapping[str, Any]) -> None:
    """Refuse frames and sizes that Wan's pipelines would silently round."""
    transformer = pipe.components.get("transformer") or pipe.components.get("transformer_2")
    if type(transformer).__name__ == WAN:
        scale = pipe.vae_scale_factor_temporal, pipe.vae_scale_factor_spatial
        check_wan_sizes(arguments, scale, transformer.config.patch_size)


def check_wan_sizes(arguments: Mapping[str, Any], scale: tuple[int, int], patch: Sequence[int]) -> None:
    """The same check from numbers alone: `scale` and `patch` as the VAE and the transformer have them."""
    (every, pixels), frames = scale, arguments.get("num_frames", 1)
    if frames % every != 1:
        near = (frames - 1) // every * every + 1
        raise ValueError(f"--frames must be {every}k+1, got {frames}: {near} or {near + every} would do")
    for name, cells in (("height", patch[1]), ("width", patch[2])):
        _check_multiple(name, arguments.get(name), pixels * cells)


def _check_multiple(name: str, value: int | None, unit: int) -> None:
    if value is not None and value % unit:
        near = max(unit, value // unit * unit)
        raise ValueError(f"--{name} must be a multiple of {unit}, got {value}: {near} or {near + unit} would do")


def check_metrics() -> None:
    """Measure something small, so that a missing package is found before the videos are made."""
    import numpy as np

    from navicache.evaluation import compare

    compare(np.zeros((2, 32, 32, 3)), np.ones((2, 32, 32, 3)))


def check_vocabulary(unknown: Iterable[str], vocabulary: Collection[str]) -> None:
    """Refuse words that the embedded models do not know, and suggest similar ones."""
    words = list(dict.fromkeys(unknown))
    if words:
        known = sorted(word for word in vocabulary if word.isalnum())  # without <pad> and its like
        raise ValueError(
            "the pocket does not know: "
            + "; ".join(f"{word!r}{_format_matches(get_close_matches(word, known))}" for word in words)
            + f". It knows {len(known)} words: {', '.join(known)}"
        )


def _format_matches(near: list[str]) -> str:
    return f" (nearest: {', '.join(near)})" if near else ""
