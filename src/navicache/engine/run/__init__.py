"""The state of one run."""
