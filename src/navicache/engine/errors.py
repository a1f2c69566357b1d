"""Errors of the engine."""


class CannotCache(TypeError):
    """The model is called in a way, or returns something, that a cache cannot work with.

    The caller detaches the engine and restores the model.
    """


class SharedModel(RuntimeError):
    """Two threads use one cached model at once. The cache stays; the run is lost."""
