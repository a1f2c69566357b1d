"""The error for models that cannot be cached; the caller detaches the engine and restores the model."""


class CannotCache(TypeError):
    """The model is called in a way, or returns something, that a cache cannot work with."""
