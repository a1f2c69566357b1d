"""What a hard member makes of captions."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import diffusers
import torch

from navicache.pocket.members import Member


def open_hard_pipeline(member: Member, folder: Path, device: str) -> Any:
    """The saved pipeline in float32."""
    library: Any = diffusers
    return getattr(library, member.pipeline).from_pretrained(folder, dtype=torch.float32).to(device)


def generate_pictures(pipe: Any, captions: Sequence[str], call: Mapping[str, Any], seed: int) -> torch.Tensor:
    """Videos (captions, frames, 3, height, width) in [0, 1], an image as a video of one frame.

    Noise is drawn on the CPU, from one seed for each caption.
    """
    pipe.set_progress_bar_config(disable=True)
    generators = [torch.Generator().manual_seed(seed + place) for place in range(len(captions))]
    # FluxPipeline wants as many negative prompts as prompts
    lists = {name: [call[name]] * len(captions) for name in ("negative_prompt",) if name in call}
    given = {**call, **lists, "generator": generators, "output_type": "pt", "return_dict": False}
    made = pipe(prompt=list(captions), **given)[0].float().cpu()
    return made if made.ndim == 5 else made.unsqueeze(1)
