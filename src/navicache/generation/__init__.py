"""Load a pipeline, call it with and without the cache by the clock, and write what came of it."""
