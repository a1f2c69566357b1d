"""Models of their real size with random weights: only times mean anything."""
