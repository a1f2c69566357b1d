"""The greatest values of one request, so that no visitor can take the machine from the others."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from navicache.policies.knob_checks import check_integer, check_number

LEAST_VALUES = {"steps": 1, "frames": 1, "height": 8, "width": 8}
HINT = "the limits of this studio"


@dataclass(frozen=True)
class StudioLimits:
    """The greatest values of a request, and how long its run may take."""

    steps: int
    frames: int
    height: int
    width: int
    pixels: int  # of all frames together
    minutes: float  # of a run, without the time to load its model
    characters: int = 2000  # of a prompt: tokenizers read all of it before they shorten it

    def check_texts(self, texts: Mapping[str, str]) -> None:
        """Raise ValueError for a text that is too long.

        Example:
            >>> OPEN_LIMITS.check_texts({"prompt": "ball " * 1000})
            Traceback (most recent call last):
            ValueError: the prompt has 5000 characters: 2000 are the most
        """
        for name, text in texts.items():
            if len(text) > self.characters:
                raise ValueError(f"the {name} has {len(text)} characters: {self.characters} are the most")

    def check_values(self, values: Mapping[str, int | None]) -> None:
        """Raise ValueError for a value that is too small or too great; None is the model's own."""
        given = {name: value for name, value in values.items() if value is not None}
        for name, value in given.items():
            check_integer(name, value, LEAST_VALUES[name])
            check_number(name, value, LEAST_VALUES[name], getattr(self, name), HINT)

    def check_pixels(self, arguments: Mapping[str, Any]) -> None:
        """Raise ValueError for a video with too many pixels, each side within its limit or not."""
        pixels = prod(arguments.get(name) or 1 for name in ("num_frames", "height", "width"))
        if pixels > self.pixels:
            raise ValueError(
                f"frames x height x width is {pixels:,}, and {self.pixels:,} are the most here: "
                "fewer frames or a smaller size may do"
            )


OPEN_LIMITS = StudioLimits(steps=1000, frames=1025, height=4096, width=4096, pixels=2**28, minutes=240)
LOCKED_LIMITS = StudioLimits(steps=100, frames=129, height=1280, width=1280, pixels=129 * 720 * 1280, minutes=15)
# Twice the frames and sides that the largest embedded model was trained for.
EMBEDDED_LIMITS = replace(LOCKED_LIMITS, frames=33, height=256, width=256, pixels=33 * 256 * 256)
