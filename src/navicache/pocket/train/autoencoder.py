"""Deprecated: this is `navicache_pocket.train.autoencoder` now."""

from navicache.pocket.moved import forward_names

NAMES = {"measure": "measure", "opened": "opened"}
__getattr__ = forward_names(__name__, "navicache_pocket.train.autoencoder", NAMES)
