"""The former name of `navicache_opensora`."""

from navicache.renamed import resolve_moved

__getattr__ = resolve_moved(__name__, "navicache_opensora", "run `pip install ./opensora` in a clone of navicache")
