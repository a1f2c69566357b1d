"""`python -m navicache_pocket.train --member sound`: train LTX-2 in small, or resume its training.

Writes the checkpoint, `figures.json`, a contact sheet, and `sounds.wav`: for each caption of the sheet the sound that
was generated, then the one of a rendered scene. `--small` tries the whole in a minute on a CPU.
"""

import argparse
import math
import time
from collections.abc import Sequence
from pathlib import Path

import torch

from navicache_pocket.train.family.command import parse_count, parse_seconds
from navicache_pocket.train.family.recipe import VideoFormat
from navicache_pocket.train.sound.sizes import SoundSizes
from navicache_pocket.train.sound.stages import SoundPlan, train_sound
from navicache_pocket.train.timed_stage import StageInterrupted

STAGES = ("autoencoder", "audio", "vocoder", "denoiser")
COUNTS = ("clips", "videos", "autoencoder-batch", "audio-batch", "batch", "checked", "sheet")
SMALL_SIZES = SoundSizes(
    video_format=VideoFormat(5, 32),
    fps=16,
    steps=4,
    video={
        "latent_channels": 8,
        "block_out_channels": (16, 32),
        "decoder_block_out_channels": (16, 32),
        "layers_per_block": (1, 1, 1),
        "decoder_layers_per_block": (1, 1, 1),
    },
    audio={"base_channels": 16, "ch_mult": (1, 1, 1), "latent_channels": 2},
    vocoder={"hidden_channels": 64, "resnet_kernel_sizes": [3], "resnet_dilations": [[1, 3]]},
    text={
        "hidden_size": 16,
        "intermediate_size": 16,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "num_key_value_heads": 1,
        "head_dim": 8,
    },
    transformer={
        "num_attention_heads": 2,
        "attention_head_dim": 12,
        "audio_num_attention_heads": 2,
        "audio_attention_head_dim": 8,
        "num_layers": 2,
    },
)
SMALL = {
    **{f"{stage}_seconds": 3.0 for stage in STAGES},
    **{"clips": 64, "videos": 64, "autoencoder_batch": 4, "audio_batch": 8, "batch": 8, "checked": 4, "sheet": 2},
}


def train_from_command_line(arguments: Sequence[str]) -> None:
    """Run all stages, or as many as there is time for."""
    plan = parse_plan(arguments)
    torch.set_float32_matmul_precision("high")
    torch.backends.cudnn.benchmark = True
    try:
        folder = train_sound(plan)
    except StageInterrupted as stage:
        print(f"sound: stopped in its stage {stage}; run the same command again to go on")
    else:
        print(f"sound: checkpoint in {folder}, figures, a contact sheet and sounds beside it")


def parse_plan(arguments: Sequence[str]) -> SoundPlan:
    """The options as a plan, checked before anything is built."""
    parser = argparse.ArgumentParser(prog="python -m navicache_pocket.train --member sound", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/sound"))
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    for stage in STAGES:
        usual = getattr(SoundPlan, f"{stage}_seconds")
        parser.add_argument(f"--{stage}-seconds", type=parse_seconds, help=f"in all tries ({usual:g})")
    parser.add_argument(
        "--stop-after", type=parse_seconds, default=math.inf, help="seconds of this try, its start included"
    )
    for name in COUNTS:
        parser.add_argument(f"--{name}", type=parse_count, help=f"({getattr(SoundPlan, name.replace('-', '_'))})")
    parser.add_argument("--steps", type=parse_count, help="of the samples, in place of the member's own")
    parser.add_argument("--eager", action="store_true", help="on a GPU: do not compile the transformer's blocks")
    parser.add_argument("--small", action="store_true", help="tiny parts and a few seconds, to try the code")
    options = vars(parser.parse_args(arguments))
    if options["device"].startswith("cuda") and not torch.cuda.is_available():
        parser.error("PyTorch sees no GPU here: give --device cpu, with --small unless you have days")
    deadline, small = time.monotonic() + options.pop("stop_after"), options.pop("small")
    given = {name: value for name, value in options.items() if value is not None}
    usual = {**SMALL, "sizes": SMALL_SIZES} if small else {}
    return SoundPlan(**{**usual, **given}, deadline=deadline)
