"""What the one who opens the studio has settled: which models there are, and how they are held."""

from dataclasses import dataclass, replace
from typing import Any

from navicache.generation.job import POCKET, Source
from navicache.pocket.members import MEMBERS, WAN

USUAL = ("num_inference_steps", "guidance_scale", "num_frames", "height", "width")


@dataclass(frozen=True)
class Offer:
    """Settled before the first visitor comes, and the same for all of them."""

    first: Source = Source()  # shown first; all other models are held as it is
    locked: bool = False  # whether visitors are kept to `choices`

    @property
    def choices(self) -> tuple[str, ...]:
        """The models to choose from, the one to begin with first.

        Example:
            >>> Offer(Source("pocket:hunyuan")).choices[:2], len(Offer().choices)
            (('pocket:hunyuan', 'pocket'), 5)
        """
        family = (POCKET if name == WAN else f"{POCKET}:{name}" for name in MEMBERS)
        return tuple(dict.fromkeys((self.first.model, *family)))

    def source(self, named: str | None) -> Source:
        """A model of the visitor's choice, held as settled; a field that was emptied names none."""
        model = (named or "").strip()
        if not model:
            raise ValueError(f"no model is named: choose one, such as {self.first.model}")
        if self.locked and model not in self.choices:
            raise ValueError(f"this studio has no {model}: choose from {', '.join(self.choices)}")
        return replace(self.first, model=model)


def usual_values(source: Source) -> list[Any]:
    """How a model is called unless told otherwise, in the order of `USUAL`; None where it knows by itself.

    Example:
        >>> usual_values(Source("somebody/model"))
        [None, None, None, None, None]
    """
    return [None if source.member is None else source.member.call.get(name) for name in USUAL]


def check_offer(offer: Offer) -> None:
    """Refuse a model, a device or a dtype that is not there, before a page is opened on it."""
    from navicache.generation.loading import choose_device, choose_dtype, locate

    choose_dtype(offer.first, choose_device(offer.first))
    locate(offer.first)
