"""Models as data: how they are called, which settings are published for them, and where."""

from navicache.models.calibration import CALIBRATED, Calibration, read_calibration
from navicache.models.call import (
    CONDITIONING_NAMES,
    LATENT_NAMES,
    PER_SAMPLE_NAMES,
    SHARED_NAMES,
    TIME_NAMES,
    CallSpec,
    Place,
)
from navicache.models.catalog import MODELS, UNKNOWN, find_model, model_named
from navicache.models.hosts import HOSTS, SIZES, HostModel
from navicache.models.published import METHODS, published, published_models
from navicache.models.signals import SIGNALS
from navicache.models.spec import MODES, ModelSpec, Preset, preset

__all__ = [
    "CALIBRATED",
    "CONDITIONING_NAMES",
    "HOSTS",
    "LATENT_NAMES",
    "METHODS",
    "MODELS",
    "MODES",
    "PER_SAMPLE_NAMES",
    "SHARED_NAMES",
    "SIGNALS",
    "SIZES",
    "TIME_NAMES",
    "UNKNOWN",
    "Calibration",
    "CallSpec",
    "HostModel",
    "ModelSpec",
    "Place",
    "Preset",
    "find_model",
    "model_named",
    "preset",
    "published",
    "published_models",
    "read_calibration",
]
