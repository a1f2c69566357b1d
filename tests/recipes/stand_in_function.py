"""A function of ours with the name and the arguments of DiffSynth-Studio's; the real one is held against it."""

from __future__ import annotations

from typing import Any

from tests.recipes.stand_ins import Core
from torch import Tensor, nn


class Dit(nn.Module):
    """What DiffSynth-Studio hands to its function; its own forward is never called."""

    def __init__(self) -> None:
        super().__init__()
        self.core = Core()


def model_fn_wan_video(
    dit: Dit,
    motion_controller: Any = None,
    vace: Any = None,
    vap: Any = None,
    animate_adapter: Any = None,
    latents: Any = None,
    timestep: Any = None,
    context: Any = None,
    clip_feature: Any = None,
    y: Any = None,
    reference_latents: Any = None,
    vace_context: Any = None,
    vace_scale: float = 1.0,
    audio_embeds: Any = None,
    motion_latents: Any = None,
    s2v_pose_latents: Any = None,
    vap_hidden_state: Any = None,
    vap_clip_feature: Any = None,
    context_vap: Any = None,
    drop_motion_frames: bool = True,
    tea_cache: Any = None,
    use_unified_sequence_parallel: bool = False,
    motion_bucket_id: Any = None,
    pose_latents: Any = None,
    face_pixel_values: Any = None,
    longcat_latents: Any = None,
    sliding_window_size: Any = None,
    sliding_window_stride: Any = None,
    cfg_merge: bool = False,
    use_gradient_checkpointing: bool = False,
    use_gradient_checkpointing_offload: bool = False,
    control_camera_latents_input: Any = None,
    fuse_vae_embedding_in_latents: bool = False,
    wantodance_refimage_feature: Any = None,
    wantodance_fps: float = 30.0,
    music_feature: Any = None,
    skip_9th_layer: bool = False,
    **kwargs: Any,
) -> Tensor:
    """DiffSynth-Studio: a function of the network and all that any Wan may be given."""
    return dit.core(latents, timestep, context)
