"""The folder of `wild`: a pipeline of its own transformer and of wan's other parts."""

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from diffusers import WanPipeline, WanTransformer3DModel
from PIL import Image

from navicache.records import open_atomic_file
from navicache_pocket.world.render import FRAMES, SIZE

SHIFT, GUIDANCE = 3.0, 5.0
MAX_SHARD = "13MB"  # the machine that trains hands back files of 16 MiB at most


@dataclass(frozen=True)
class VideoCall:
    """What `WanPipeline` is asked for."""

    steps: int = 50
    size: int = SIZE
    frames: int = FRAMES
    guidance: float = GUIDANCE


def save_wild_pipeline(model: WanTransformer3DModel, base: Path, folder: Path) -> None:
    """Write the whole pipeline, its transformer in half precision, as the other members are."""
    shutil.copytree(base, folder, ignore=shutil.ignore_patterns("transformer"), dirs_exist_ok=True)
    scheduler = json.loads((base / "scheduler" / "scheduler_config.json").read_text()) | {"flow_shift": SHIFT}
    _write_json(folder / "scheduler" / "scheduler_config.json", scheduler)
    model.half().save_pretrained(folder / "transformer", max_shard_size=MAX_SHARD)
    config = json.loads((folder / "transformer" / "config.json").read_text())
    config.pop("_name_or_path", None)  # where the weights of wan lay on the machine that trained
    _write_json(folder / "transformer" / "config.json", config)


def _write_json(path: Path, content: dict[str, Any]) -> None:
    with open_atomic_file(path) as file:
        file.write((json.dumps(content, indent=2) + "\n").encode())


def open_wild_pipeline(folder: Path, device: str) -> Any:
    """The saved pipeline in float32."""
    pipe: Any = WanPipeline.from_pretrained(folder, torch_dtype=torch.float32)
    pipe.set_progress_bar_config(disable=True)
    return pipe.to(device)


def generate_videos(pipe: Any, captions: Sequence[str], call: VideoCall, seed: int) -> torch.Tensor:
    """Videos (captions, frames, 3, size, size) in [0, 1], with guidance; noise is drawn on the CPU."""
    generators = [torch.Generator().manual_seed(seed + place) for place in range(len(captions))]
    shape = {"num_frames": call.frames, "height": call.size, "width": call.size}
    options = {"num_inference_steps": call.steps, "guidance_scale": call.guidance, "output_type": "pt"}
    return pipe(list(captions), generator=generators, **shape, **options).frames.float().cpu()


def save_contact_sheet(videos: torch.Tensor, path: Path, columns: int = 2) -> None:
    """Up to three frames of each video (videos, frames, 3, height, width), as a JPEG."""
    last = videos.shape[1] - 1
    shown = [torch.cat([video[frame] for frame in sorted({0, last // 2, last})], 2) for video in videos]
    lines = [torch.cat(shown[start : start + columns], 2) for start in range(0, len(shown), columns)]
    pixels = (torch.cat(lines, 1).clamp(0, 1) * 255).round().byte().permute(1, 2, 0).numpy()
    with open_atomic_file(path) as file:
        Image.fromarray(pixels).save(file, format="JPEG", quality=92)
