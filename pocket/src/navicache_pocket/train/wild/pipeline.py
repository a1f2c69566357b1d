"""The folder of `wild` holds a transformer; all other parts are wan's, which it does not repeat."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from diffusers import UniPCMultistepScheduler, WanPipeline, WanTransformer3DModel
from PIL import Image

from navicache.records import open_atomic_file
from navicache_pocket.train import configs
from navicache_pocket.world.wild.render import FRAMES, SIZE

SHIFT, GUIDANCE = 3.0, 5.0
MAX_SHARD = "13MB"  # the machine that trains hands back files of 16 MiB at most


@dataclass(frozen=True)
class VideoCall:
    """What `WanPipeline` is asked for."""

    steps: int = 50
    size: int = SIZE
    frames: int = FRAMES
    guidance: float = GUIDANCE


def save_transformer(model: WanTransformer3DModel, folder: Path) -> None:
    """Write the transformer in half precision, as the other members are, in files of 13 MB at most."""
    model.half().save_pretrained(folder / "transformer", max_shard_size=MAX_SHARD)


def open_wild_pipeline(folder: Path, base: Path, device: str, shift: float = SHIFT) -> Any:
    """A WanPipeline in float32 of wild's transformer and of wan's other parts."""
    transformer = WanTransformer3DModel.from_pretrained(folder, subfolder="transformer", torch_dtype=torch.float32)
    scheduler = UniPCMultistepScheduler(**{**configs.SCHEDULER, "flow_shift": shift})
    pipe: Any = WanPipeline.from_pretrained(base, transformer=transformer, scheduler=scheduler)
    pipe.set_progress_bar_config(disable=True)
    return pipe.to(device)


def generate_videos(pipe: Any, captions: Sequence[str], call: VideoCall, seed: int) -> torch.Tensor:
    """Videos (captions, frames, 3, size, size) in [0, 1], with guidance; noise is drawn on the CPU."""
    generators = [torch.Generator().manual_seed(seed + place) for place in range(len(captions))]
    shape = {"num_frames": call.frames, "height": call.size, "width": call.size}
    options = {"num_inference_steps": call.steps, "guidance_scale": call.guidance, "output_type": "pt"}
    return pipe(list(captions), generator=generators, **shape, **options).frames.float().cpu()


def save_contact_sheet(videos: torch.Tensor, path: Path, columns: int = 2) -> None:
    """Three frames of each video (videos, frames, 3, height, width), as a JPEG."""
    last = videos.shape[1] - 1
    shown = [torch.cat([video[frame] for frame in (0, last // 2, last)], 2) for video in videos]
    lines = [torch.cat(shown[start : start + columns], 2) for start in range(0, len(shown), columns)]
    pixels = (torch.cat(lines, 1).clamp(0, 1) * 255).round().byte().permute(1, 2, 0).numpy()
    with open_atomic_file(path) as file:
        Image.fromarray(pixels).save(file, format="JPEG", quality=92)
