"""What cannot be cached; whoever attached the engine takes it off and leaves the model as it was."""


class CannotCache(TypeError):
    """The model is called in a way, or returns something, that a cache cannot work with."""
