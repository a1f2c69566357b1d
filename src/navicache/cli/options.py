"""Options that several commands share: how they are declared, checked and read."""

import math
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from contextlib import suppress
from pathlib import Path
from typing import Any

from navicache.generation.job import MOST_SEED, CacheSettings, ModelSource
from navicache.models import QUALITIES

WORDS = {"true": True, "false": False}
KNOBS = ("threshold", "speedup", "max_error", "align_steps")  # knobs that have an option


def parse_positive_int(text: str) -> int:
    """A whole number above zero.

    Example:
        >>> parse_positive_int("17")
        17
    """
    if not text.isdecimal() or not int(text):
        raise ArgumentTypeError(f"must be a whole number above zero, got {text!r}")
    return int(text)


def parse_count(text: str) -> int:
    """A whole number; zero is one.

    Example:
        >>> parse_count("0")
        0
    """
    if not text.isdecimal():
        raise ArgumentTypeError(f"must be a whole number, 0 or more, got {text!r}")
    return int(text)


def parse_positive_number(text: str) -> float:
    """A finite number above zero.

    Example:
        >>> parse_positive_number("5")
        5.0
    """
    with suppress(ValueError):
        if 0 < float(text) < math.inf:
            return float(text)
    raise ArgumentTypeError(f"must be a number above zero, got {text!r}")


def parse_finite_number(text: str) -> float:
    """A number, neither infinite nor NaN.

    Example:
        >>> parse_finite_number("-1.5")
        -1.5
    """
    with suppress(ValueError):
        if math.isfinite(float(text)):
            return float(text)
    raise ArgumentTypeError(f"must be a finite number, got {text!r}")


def parse_seed(text: str) -> int:
    """A seed that PyTorch takes.

    Example:
        >>> parse_seed("7")
        7
    """
    if not text.isdecimal() or int(text) > MOST_SEED:
        raise ArgumentTypeError(f"must be a whole number from 0 to {MOST_SEED}, got {text!r}")
    return int(text)


def parse_text(text: str) -> str:
    """A text that says something.

    Example:
        >>> parse_text(" a cat ")
        'a cat'
    """
    if not text.strip():
        raise ArgumentTypeError("must not be empty")
    return text.strip()


def parse_knob(text: str) -> tuple[str, Any]:
    """A knob's name and its value: a number, true or false, or text.

    Example:
        >>> [parse_knob(text) for text in ("align_steps=5", "threshold=5e-2", "last_step=false", "site=blocks")]
        [('align_steps', 5), ('threshold', 0.05), ('last_step', False), ('site', 'blocks')]
    """
    name, _, value = text.partition("=")
    if not name or not value:
        raise ArgumentTypeError(f"must be name=value, as threshold=0.05, got {text!r}")
    return name, _parse_value(value)


def _parse_value(text: str) -> Any:
    if text in WORDS:
        return WORDS[text]
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return text


def add_call_options(parser: ArgumentParser) -> None:
    """Options of the pipeline's call."""
    parser.add_argument("--negative-prompt", help="what not to show")
    parser.add_argument("--image", metavar="FILE", help="the first frame of a video, for image-to-video pipelines")
    parser.add_argument("--steps", type=parse_positive_int, help="denoising steps")
    shift = "flow shift of the scheduler, in place of the model's own"
    parser.add_argument("--shift", type=parse_positive_number, help=shift)
    parser.add_argument("--guidance", type=parse_finite_number, help="guidance scale")
    parser.add_argument("--frames", type=parse_positive_int, help="length of the video")
    parser.add_argument("--height", type=parse_positive_int, help="in pixels")
    parser.add_argument("--width", type=parse_positive_int, help="in pixels")


def add_device_options(parser: ArgumentParser) -> None:
    """Options of where the model is and in which dtype."""
    parser.add_argument("--dtype", choices=("auto", "float32", "bfloat16", "float16"), default="auto")
    parser.add_argument("--device", default="auto", help="auto, cpu, cuda, cuda:1 or mps (%(default)s)")
    parser.add_argument("--offload", choices=("none", "model", "sequential", "group"), default="none")


def add_cache_options(parser: ArgumentParser) -> None:
    """Options of the cache."""
    parser.add_argument("--policy", help="of the catalog (inertial; with --threshold navicache)")
    parser.add_argument("--mode", help="fast, mid or slow preset of the model")
    parser.add_argument("--threshold", type=float, help="of the policy, in place of the preset's")
    parser.add_argument("--speedup", type=float, help="a target, in place of a threshold: 2 computes every other step")
    parser.add_argument("--max-error", type=float, help="a target: relative error that no reused output should exceed")
    align = "steps computed before the first reuse (name the policy too)"
    parser.add_argument("--align-steps", type=parse_positive_int, help=align)
    knobs = "any knob of the policy: a number, true, false or text; give it again for more"
    parser.add_argument("--set", type=parse_knob, action="append", default=[], metavar="NAME=VALUE", help=knobs)


def add_settings_options(parser: ArgumentParser) -> None:
    """Options of what was tuned, in place of the other options of the cache."""
    parser.add_argument("--settings", type=Path, metavar="FILE", help="of navicache tune, found on this model")
    quality = "of the settings file; without one, a speed-up of 1.5, 2 or 3 that was not measured on the model"
    parser.add_argument("--quality", choices=QUALITIES, help=quality)


def read_cache_options(options: Namespace) -> CacheSettings:
    """The options of `add_cache_options`, as given."""
    knobs = {name: getattr(options, name) for name in KNOBS if getattr(options, name) is not None}
    for name, value in options.set:
        if name in knobs:
            raise ValueError(f"{name} is given twice: say it once")
        knobs[name] = value
    return CacheSettings(options.policy, options.mode, knobs)


def choose_default_prompts(source: ModelSource) -> list[str]:
    """The example caption of an embedded model; other models have no default."""
    member = source.member
    if member is None:
        raise ValueError(
            f"say what to show: --prompt '...' (only the embedded models have a default prompt, not {source.model})"
        )
    return [member.caption]
