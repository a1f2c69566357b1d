"""Finds the run, step and stream of a call."""
