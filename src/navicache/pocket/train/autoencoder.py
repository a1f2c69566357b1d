"""Deprecated: this is `navicache_pocket.train.autoencoder` now."""

from navicache.pocket.moved import forward_names

NAMES = {"measure": "measure_reconstruction", "opened": "open_autoencoder"}
__getattr__ = forward_names(__name__, "navicache_pocket.train.autoencoder", NAMES)
