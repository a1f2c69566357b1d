"""Plots, videos and pages of what was measured."""
