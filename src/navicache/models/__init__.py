"""Models as data: how they are called, which settings are published for them, and where."""

from navicache.models.calibration import CALIBRATED_METHODS, Calibration, read_calibration
from navicache.models.call_spec import (
    CONDITIONING_ARGUMENT_NAMES,
    LATENT_ARGUMENT_NAMES,
    PER_SAMPLE_ARGUMENT_NAMES,
    SHARED_ARGUMENT_NAMES,
    TIME_ARGUMENT_NAMES,
    CallSpec,
    ArgumentKey,
)
from navicache.models.catalog import MODELS, UNKNOWN_MODEL, find_model, find_model_by_name
from navicache.models.host_models import HOST_MODELS, SIZE_FIELDS, HostModel
from navicache.models.published_presets import PUBLISHED_METHODS, load_published_presets, list_published_models
from navicache.models.signal_modules import SIGNAL_MODULES
from navicache.models.model_spec import MODES, ModelSpec, Preset, find_preset

__all__ = [
    "CALIBRATED_METHODS",
    "CONDITIONING_ARGUMENT_NAMES",
    "HOST_MODELS",
    "LATENT_ARGUMENT_NAMES",
    "PUBLISHED_METHODS",
    "MODELS",
    "MODES",
    "PER_SAMPLE_ARGUMENT_NAMES",
    "SHARED_ARGUMENT_NAMES",
    "SIGNAL_MODULES",
    "SIZE_FIELDS",
    "TIME_ARGUMENT_NAMES",
    "UNKNOWN_MODEL",
    "Calibration",
    "CallSpec",
    "HostModel",
    "ModelSpec",
    "ArgumentKey",
    "Preset",
    "find_model",
    "find_model_by_name",
    "find_preset",
    "load_published_presets",
    "list_published_models",
    "read_calibration",
]
