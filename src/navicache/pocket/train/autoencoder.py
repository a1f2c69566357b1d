"""Deprecated: this is `navicache_pocket.train.autoencoder` now."""

from navicache.renamed import resolve_renamed

NAMES = {"measure": "measure_reconstruction", "opened": "open_autoencoder"}
__getattr__ = resolve_renamed(__name__, NAMES, "navicache_pocket.train.autoencoder")
