"""`navicache tune`: the best settings of a model, found by trying them on it."""

DEFAULT_PROMPTS = 8  # of an embedded model
