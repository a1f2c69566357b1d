"""What the one who opens the studio has settled: which models there are, and how they are held."""

from dataclasses import dataclass, replace
from typing import Any

from navicache.generation.job import POCKET, ModelSource
from navicache.pocket.members import MEMBERS, WAN

DEFAULT_ARGUMENTS = ("num_inference_steps", "guidance_scale", "num_frames", "height", "width")


@dataclass(frozen=True)
class StudioModels:
    """Settled before the first visitor comes, and the same for all of them."""

    default: ModelSource = ModelSource()  # shown first; all other models are held as it is
    locked: bool = False  # whether visitors are kept to `choices`

    @property
    def choices(self) -> tuple[str, ...]:
        """The models to choose from, the one to begin with first.

        Example:
            >>> StudioModels(ModelSource("pocket:hunyuan")).choices[:2], len(StudioModels().choices)
            (('pocket:hunyuan', 'pocket'), 5)
        """
        family = (POCKET if name == WAN else f"{POCKET}:{name}" for name in MEMBERS)
        return tuple(dict.fromkeys((self.default.model, *family)))

    def source(self, named: str | None) -> ModelSource:
        """A model of the visitor's choice, held as settled; a field that was emptied names none."""
        model = (named or "").strip()
        if not model:
            raise ValueError(f"no model is named: choose one, such as {self.default.model}")
        if self.locked and model not in self.choices:
            raise ValueError(f"this studio has no {model}: choose from {', '.join(self.choices)}")
        return replace(self.default, model=model)


def default_values(source: ModelSource) -> list[Any]:
    """How a model is called unless told otherwise, in the order of `DEFAULT_ARGUMENTS`; None where it knows by itself.

    Example:
        >>> default_values(ModelSource("somebody/model"))
        [None, None, None, None, None]
    """
    return [None if source.member is None else source.member.call.get(name) for name in DEFAULT_ARGUMENTS]


def check_models(offer: StudioModels) -> None:
    """Refuse a model, a device or a dtype that is not there, before a page is opened on it."""
    from navicache.generation.loading import choose_device, choose_dtype, locate_model

    choose_dtype(offer.default, choose_device(offer.default))
    locate_model(offer.default)
