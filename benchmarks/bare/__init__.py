"""Bare models: small functions f(x, t, label) in pixel space, without a pipeline or a scheduler that tells anything."""
