"""`navicache models`: which models are known, what each policy is set to there, and where the numbers come from."""

import argparse
import json
from collections.abc import Iterator, Sequence
from textwrap import shorten
from typing import Any

from navicache.models import MODELS, MODES, ModelSpec, Preset
from navicache.policies import POLICIES
from navicache.records.text_table import TextColumn, format_table_lines

LONGEST_TUPLE, LONGEST_SETTINGS = 2, 50
INFERRED = "*"


def add_subcommand_options(parser: argparse.ArgumentParser) -> None:
    """Options of the subcommand."""
    parser.add_argument("name", nargs="?", default="", help="part of a model's name or class, such as wan or flux")
    parser.add_argument("--json", action="store_true", help="everything, tables included, for other programs")


def run(options: argparse.Namespace) -> int:
    """Print what is known."""
    chosen = find_models(options.name)
    print(
        json.dumps([encode_model_spec(spec) for spec in chosen], indent=1)
        if options.json
        else "\n".join(format_model_lines(chosen))
    )
    return 0


def find_models(part: str) -> list[ModelSpec]:
    """The models whose name or class contains the text; case does not matter.

    Example:
        >>> [spec.name for spec in find_models("mochi")]
        ['Mochi 1']
    """
    chosen = [spec for spec in MODELS if part.lower() in f"{spec.name}\n{spec.transformer}".lower()]
    if not chosen:
        raise ValueError(f"no model is called {part!r}; known: {', '.join(spec.name for spec in MODELS)}")
    return chosen


def format_model_lines(chosen: Sequence[ModelSpec]) -> Iterator[str]:
    """A table for each model, and a note."""
    for spec in chosen:
        yield f"{spec.name} ({spec.transformer or 'any other class'})"
        yield from (f"  {line}" for line in format_preset_table(spec))
        if bare := [policy for policy in POLICIES if policy not in spec.presets]:
            yield f"  no preset: {', '.join(bare)}"
        yield ""
    yield f"{INFERRED} inferred: nobody has published it for this model; --json has settings that do not fit a line"


def format_preset_table(spec: ModelSpec) -> list[str]:
    """Policies, modes, knobs and sources."""
    known = ((policy, mode, modes) for policy, modes in spec.presets.items() for mode in MODES if mode in modes)
    rows = [(policy, mode, modes[mode]) for policy, mode, modes in known]
    columns = {
        "policy": [policy for policy, _, _ in rows],
        "mode": [f"{mode}{INFERRED if preset.inferred else ''}" for _, mode, preset in rows],
        "settings": [format_knobs(preset) for _, _, preset in rows],
        "source": [preset.source for _, _, preset in rows],
    }
    return format_table_lines([TextColumn(heading, cells, is_left_aligned=True) for heading, cells in columns.items()])


def format_knobs(preset: Preset) -> str:
    """The knobs, shortened to one line.

    Example:
        >>> format_knobs(Preset({"threshold": 0.1, "ratios": (1.0,) * 50, "signed": True}, "a script"))
        'threshold=0.1 ratios=(50 numbers) signed=True'
    """
    line = " ".join(f"{knob}={_format_value(value)}" for knob, value in preset.knobs.items())
    return shorten(line, LONGEST_SETTINGS, placeholder=" ...")


def _format_value(value: Any) -> str:
    if not isinstance(value, tuple):
        return str(value)
    return f"({len(value)} numbers)" if len(value) > LONGEST_TUPLE else f"({', '.join(map(str, value))})"


def encode_model_spec(spec: ModelSpec) -> dict[str, Any]:
    """A model as plain values for JSON."""
    presets = {
        policy: {
            mode: {"knobs": dict(preset.knobs), "source": preset.source, "inferred": preset.inferred}
            for mode, preset in modes.items()
        }
        for policy, modes in spec.presets.items()
    }
    about = {"name": spec.name, "transformer": spec.transformer, "config": dict(spec.config), "experts": spec.experts}
    return {**about, "note": spec.note, "presets": presets}
