"""The former name of `navicache_serving.vllm_omni`."""

from navicache.renamed import SERVING_INSTALL_COMMAND, resolve_moved

__getattr__ = resolve_moved(__name__, "navicache_serving.vllm_omni", SERVING_INSTALL_COMMAND, submodules=("plugin",))
