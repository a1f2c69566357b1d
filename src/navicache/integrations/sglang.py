"""The former name of `navicache_serving.sglang`."""

from navicache.renamed import SERVING_INSTALL_COMMAND, resolve_moved

__getattr__ = resolve_moved(__name__, "navicache_serving.sglang", SERVING_INSTALL_COMMAND, submodules=("plugin",))
