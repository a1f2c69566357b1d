"""The family of embedded models: the pipeline class of each, and the default arguments of its call."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from navicache.pocket.prompts import PROMPTS
from navicache.weights_package import INSTALL_COMMAND, find_weights_folder

WAN = "wan"
ADAPTER = "pytorch_lora_weights.safetensors"  # as diffusers names it


@dataclass(frozen=True)
class Member:
    """One embedded model: a folder that its pipeline class opens."""

    name: str
    pipeline: str  # class of diffusers; OpenSoraPipeline is ours
    call: Mapping[str, Any] = field(hash=False)  # the arguments it was trained for
    fps: int = 8
    kind: Literal["video", "image"] = "video"
    caption: str = PROMPTS[0]  # an example of those that it was trained on
    base: str | None = None  # of an adapter: the member whose weights it changes


def _make_call(steps: int, guidance: float, frames: int | None, size: int) -> dict[str, Any]:
    length = {} if frames is None else {"num_frames": frames}
    return {"num_inference_steps": steps, "guidance_scale": guidance, **length, "height": size, "width": size}


# LTX2Pipeline guides in two more ways by default, each with another call per step. Its member was not trained for them.
_SOUND_CALL = {
    **{"audio_guidance_scale": 3.0, "frame_rate": 8.0, "max_sequence_length": 32},
    **dict.fromkeys(("stg_scale", "audio_stg_scale", "guidance_rescale", "audio_guidance_rescale"), 0.0),
    **dict.fromkeys(("modality_scale", "audio_modality_scale"), 1.0),
}
MEMBERS = {
    member.name: member
    for member in (
        Member(WAN, "WanPipeline", _make_call(50, 5.0, 17, 128)),
        Member("wild", "WanPipeline", _make_call(50, 5.0, 17, 128), caption="a star and a ring"),
        Member("hunyuan", "HunyuanVideoPipeline", _make_call(50, 6.0, 9, 64)),
        # nothing in its world's captions needs cleaning, which needs beautifulsoup4
        Member("opensora", "OpenSoraPipeline", {**_make_call(30, 7.0, 17, 64), "clean_caption": False}),
        Member("cogvideox", "CogVideoXPipeline", _make_call(50, 6.0, 9, 64)),
        Member("unet", "StableDiffusionPipeline", _make_call(50, 7.5, None, 64), kind="image"),
        Member("sound", "LTX2Pipeline", {**_make_call(50, 5.0, 9, 64), **_SOUND_CALL}),
        Member("turbo", "WanPipeline", _make_call(8, 1.0, 17, 128), base=WAN),
    )
}


def find_member(name: str) -> Member:
    """The member of this name.

    Example:
        >>> find_member("opensora").call["num_inference_steps"]
        30
    """
    if name not in MEMBERS:
        raise ValueError(f"the pocket has no model {name!r}: choose from {', '.join(MEMBERS)}")
    return MEMBERS[name]


def checkpoint_path(name: str = WAN) -> Path:
    """The folder that the member's pipeline class opens, or of its adapter; wan's is a `WanPipeline`.

    Example:
        >>> checkpoint_path().name
        'wan'
    """
    member = find_member(name)
    folder = find_weights_folder(member.name)
    if folder is None:
        raise ValueError(f"the embedded models are a package of their own, navicache-pocket: {INSTALL_COMMAND}")
    if not (folder / (ADAPTER if member.base else "model_index.json")).is_file():
        raise ValueError(f"{folder} holds no model: install navicache-pocket again ({INSTALL_COMMAND})")
    return folder
