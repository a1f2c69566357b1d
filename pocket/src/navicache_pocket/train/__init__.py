"""How the embedded model was made: `python -m navicache_pocket.train` trains it from nothing."""
