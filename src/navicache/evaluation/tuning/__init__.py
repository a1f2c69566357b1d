"""Find the best settings of a model by trying them: candidates, rounds and choices, as numbers."""
