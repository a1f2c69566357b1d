"""Models as other programs than diffusers have them: the same networks under other classes and other arguments."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from navicache.models.call import CallSpec
from navicache.models.spec import ModelSpec


@dataclass(frozen=True)
class HostModel:
    """The class, or the function, that a program calls at every step."""

    known_as: str  # the class of diffusers under which its settings are known; "" where there are none
    call: CallSpec = field(default_factory=CallSpec)  # empty where the usual names tell
    config: Mapping[str, str] = field(default_factory=dict[str, str])  # their attribute by the name diffusers gives it
    note: str = ""  # what the user should be told, in place of what diffusers' model says

    def configuration(self, theirs: Mapping[str, Any]) -> dict[str, Any]:
        """Their configuration in diffusers' names."""
        return {ours: theirs.get(name) for ours, name in self.config.items()}

    def called(self, spec: ModelSpec) -> ModelSpec:
        """What is known of the model, with this program's way to call it."""
        return replace(spec, call=self.call, note=self.note or spec.note)


_WAN = HostModel(
    "WanTransformer3DModel", config={"in_channels": "in_dim", "num_layers": "num_layers", "text_dim": "text_dim"}
)

# By name of the class or function; docs/recipes says which program has it, and with which commit it was run.
HOSTS: Mapping[str, HostModel] = {
    "WanModel": _WAN,  # Wan 2.1, Wan 2.2, musubi-tuner
    "VaceWanModel": _WAN,
}
