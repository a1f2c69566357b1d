"""Where a model embeds its time: the submodules whose outputs TeaCache watches, by the transformer's class."""

from collections.abc import Mapping

SIGNAL_MODULES: Mapping[str, Mapping[str, str]] = {
    "WanTransformer3DModel": {
        "time": "condition_embedder.time_embedder",
        "time_projection": "condition_embedder.time_proj",
    },
    "CogVideoXTransformer3DModel": {"time": "time_embedding"},
}
