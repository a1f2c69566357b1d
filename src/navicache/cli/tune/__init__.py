"""`navicache tune`: the best settings of a model, found by trying them on it."""
