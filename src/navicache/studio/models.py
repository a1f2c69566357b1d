"""The models that a studio offers, set when it is started."""

from dataclasses import dataclass, replace
from typing import Any

from navicache.generation.job import POCKET, ModelSource
from navicache.pocket.members import WAN
from navicache.studio.limits import EMBEDDED_LIMITS, LOCKED_LIMITS, OPEN_LIMITS, StudioLimits
from navicache.studio.model_labels import QUICKEST_FIRST

DEFAULT_ARGUMENTS = ("num_inference_steps", "guidance_scale", "num_frames", "height", "width")


@dataclass(frozen=True)
class StudioModels:
    """The models that visitors may choose, and how they are loaded."""

    default: ModelSource = ModelSource()  # shown first; all other models are held as it is
    locked: bool = False  # whether visitors are kept to `choices`
    minutes: float | None = None  # the longest run; None takes that of the limits

    @property
    def choices(self) -> tuple[str, ...]:
        """The models to choose from, the default first, then the quickest.

        Example:
            >>> StudioModels(ModelSource("pocket:hunyuan")).choices[:2], len(StudioModels().choices)
            (('pocket:hunyuan', 'pocket:unet'), 8)
        """
        family = (POCKET if name == WAN else f"{POCKET}:{name}" for name in QUICKEST_FIRST)
        return tuple(dict.fromkeys((self.default.model, *family)))

    def get_allowed_source(self, model_name: str | None) -> ModelSource:
        """The source of the model that a visitor named; an error if this studio does not offer it."""
        model = (model_name or "").strip()
        if not model:
            raise ValueError(f"no model is named: choose one, such as {self.default.model}")
        if self.locked and model not in self.choices:
            raise ValueError(f"this studio has no {model}: choose from {', '.join(self.choices)}")
        return replace(self.default, model=model)

    def limits_of(self, source: ModelSource) -> StudioLimits:
        """The greatest values of a request for this model.

        Example:
            >>> StudioModels().limits_of(ModelSource()).width, StudioModels(locked=True).limits_of(ModelSource()).width
            (4096, 256)
        """
        limits = (EMBEDDED_LIMITS if source.is_embedded else LOCKED_LIMITS) if self.locked else OPEN_LIMITS
        return limits if self.minutes is None else replace(limits, minutes=self.minutes)


def default_values(source: ModelSource) -> list[Any]:
    """The default call of a model, in the order of `DEFAULT_ARGUMENTS`; None if it has no default here.

    Example:
        >>> default_values(ModelSource("somebody/model"))
        [None, None, None, None, None]
    """
    return [None if source.member is None else source.member.call.get(name) for name in DEFAULT_ARGUMENTS]


def check_models(models: StudioModels) -> None:
    """Refuse a model, device or dtype that is not available, before the page opens."""
    from navicache.generation.loading import choose_device, choose_dtype, locate_model

    choose_dtype(models.default, choose_device(models.default))
    locate_model(models.default)
