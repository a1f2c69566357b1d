"""Models as data: how they are called, and which settings are published for them."""

from typing import TYPE_CHECKING

from navicache.models.calibration import CALIBRATED_METHODS, Calibration, read_calibration
from navicache.models.call_spec import (
    CONDITIONING_ARGUMENT_NAMES,
    LATENT_ARGUMENT_NAMES,
    OTHER_LATENT_ARGUMENT_NAMES,
    OTHER_TIME_ARGUMENT_NAMES,
    PER_SAMPLE_ARGUMENT_NAMES,
    SHARED_ARGUMENT_NAMES,
    TIME_ARGUMENT_NAMES,
    ArgumentKey,
    CallSpec,
)
from navicache.models.catalog import MODELS, UNKNOWN_MODEL, find_model, find_model_by_name
from navicache.models.host_models import HOST_MODELS, SIZE_FIELDS, HostModel
from navicache.models.model_spec import MODES, ModelSpec, Preset, find_preset
from navicache.models.published_lists import PublishedList, read_published_lists
from navicache.models.published_presets import PUBLISHED_METHODS, list_published_models, load_published_presets
from navicache.models.signal_modules import SIGNAL_MODULES
from navicache.models.tuned_settings import (
    LPIPS_OF_QUALITY,
    QUALITIES,
    SPEEDUP_OF_QUALITY,
    Quality,
    TunedChoice,
    TunedRun,
    TunedSettings,
    read_settings,
    strip_config,
)
from navicache.renamed import resolve_renamed

__all__ = [
    "CALIBRATED_METHODS",
    "CONDITIONING_ARGUMENT_NAMES",
    "HOST_MODELS",
    "LATENT_ARGUMENT_NAMES",
    "LPIPS_OF_QUALITY",
    "MODELS",
    "MODES",
    "OTHER_LATENT_ARGUMENT_NAMES",
    "OTHER_TIME_ARGUMENT_NAMES",
    "PER_SAMPLE_ARGUMENT_NAMES",
    "PUBLISHED_METHODS",
    "QUALITIES",
    "SHARED_ARGUMENT_NAMES",
    "SIGNAL_MODULES",
    "SIZE_FIELDS",
    "SPEEDUP_OF_QUALITY",
    "TIME_ARGUMENT_NAMES",
    "UNKNOWN_MODEL",
    "ArgumentKey",
    "Calibration",
    "CallSpec",
    "HostModel",
    "ModelSpec",
    "Preset",
    "PublishedList",
    "Quality",
    "TunedChoice",
    "TunedRun",
    "TunedSettings",
    "find_model",
    "find_model_by_name",
    "find_preset",
    "list_published_models",
    "load_published_presets",
    "read_calibration",
    "read_published_lists",
    "read_settings",
    "strip_config",
]

if not TYPE_CHECKING:  # type checkers know the new names only
    __getattr__ = resolve_renamed(__name__)
