"""The former name of `navicache_serving.server_settings`."""

from navicache.renamed import SERVING_INSTALL_COMMAND, resolve_moved

__getattr__ = resolve_moved(__name__, "navicache_serving.server_settings", SERVING_INSTALL_COMMAND)
