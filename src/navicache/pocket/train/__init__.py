"""Deprecated: this is `navicache_pocket.train` now."""
