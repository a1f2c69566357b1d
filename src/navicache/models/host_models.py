"""Models as other programs than diffusers have them: the same networks under other classes and other arguments."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from navicache.models.call_spec import CallSpec
from navicache.models.model_spec import ModelSpec


@dataclass(frozen=True)
class HostModel:
    """The class, or the function, that a program calls at every step."""

    diffusers_class: str  # the class of diffusers under which its settings are known; "" where there are none
    call: CallSpec = field(default_factory=CallSpec)  # empty where the usual names tell
    attribute_names: Mapping[str, str] = field(
        default_factory=dict[str, str]
    )  # their attribute by the name diffusers gives it
    note: str = ""  # where the settings are another model's: what the user should be told

    def translate_config(self, host_config: Mapping[str, Any]) -> dict[str, Any]:
        """Their configuration in diffusers' names."""
        return {ours: host_config.get(name) for ours, name in self.attribute_names.items()}

    def adapt_spec(self, spec: ModelSpec) -> ModelSpec:
        """What is known of the model, with this program's way to call it."""
        if not self.note:
            return replace(spec, call=self.call)
        guessed = {
            policy: {mode: replace(preset, inferred=True) for mode, preset in modes.items()}
            for policy, modes in spec.presets.items()
        }
        return replace(spec, call=self.call, presets=guessed, note=self.note)


SIZE_FIELDS = ("in_channels", "num_layers", "text_dim")  # of a configuration of diffusers: what presets are known by

_WAN = HostModel(
    "WanTransformer3DModel",
    attribute_names={"in_channels": "in_dim", "num_layers": "num_layers", "text_dim": "text_dim"},
)
_FRAMEPACK = HostModel(
    "HunyuanVideoTransformer3DModel",
    note="no setting is published for FramePack; HunyuanVideo's are used, whose model it was trained from",
)
_XDIT_WAN = HostModel("WanTransformer3DModel", attribute_names={name: name for name in SIZE_FIELDS})

# By name of the class or function; docs/recipes says which program has it, and with which commit it was run.
HOST_MODELS: Mapping[str, HostModel] = {
    "WanModel": _WAN,  # Wan 2.1, Wan 2.2, musubi-tuner, ComfyUI
    "VaceWanModel": _WAN,
    "model_fn_wan_video": HostModel("WanTransformer3DModel"),  # a function of DiffSynth-Studio; its size is not told
    "HYVideoDiffusionTransformer": HostModel("HunyuanVideoTransformer3DModel", CallSpec(output="x")),
    "HunyuanVideoTransformer3DModelPacked": _FRAMEPACK,
    "HunyuanVideo": HostModel("HunyuanVideoTransformer3DModel"),  # of ComfyUI, as the next two
    "LTXVModel": HostModel("LTXVideoTransformer3DModel"),
    "Flux": HostModel("FluxTransformer2DModel"),
    "MMDiTModel": HostModel("", CallSpec("img", "timesteps", ("txt", "y_vec"))),  # Open-Sora 2.0
    "xFuserWanTransformer3DWrapper": _XDIT_WAN,  # xDiT's of diffusers' own, with the arguments of those
    "xFuserHunyuanVideoTransformer3DWrapper": HostModel("HunyuanVideoTransformer3DModel"),
    "DynamicSwap_HunyuanVideoTransformer3DModelPacked": _FRAMEPACK,  # while its own offload is on
}
