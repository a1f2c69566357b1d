"""`navicache calibrate`: measure on a model what a policy needs to know of it."""
