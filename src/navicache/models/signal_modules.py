"""The submodules that embed the timestep, by transformer class; TeaCache watches their outputs."""

from collections.abc import Mapping

SIGNAL_MODULES: Mapping[str, Mapping[str, str]] = {
    "WanTransformer3DModel": {
        "time": "condition_embedder.time_embedder",
        "time_projection": "condition_embedder.time_proj",
    },
    "CogVideoXTransformer3DModel": {"time": "time_embedding"},
}
