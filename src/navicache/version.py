"""The version, in a module without imports so that every layer can use it."""

__version__ = "0.1.0"
