"""How the embedded models were trained: `python -m navicache_pocket.train` trains one from random weights."""
