"""How the embedded model was made: `python -m navicache.pocket.train` trains it from nothing."""
