"""Train `wild`: `python -m navicache_pocket.train --member wild --minutes 8 --out build/wild/result`.

The minutes hold for the whole command: rendering, encoding, training, and the samples at the end. The state of an
interrupted training stays in `--state`, and a second call with the same options goes on with it.
"""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

import torch

from navicache_pocket.train.family.noise import FlowNoise
from navicache_pocket.train.timed_stage import TimedStage
from navicache_pocket.train.wild import pipeline
from navicache_pocket.train.wild.pool import PoolSettings, build_pool
from navicache_pocket.train.wild.training import WildTraining, train_transformer
from navicache_pocket.world.wild import list_wild_captions

WAN_FOLDER = Path(__file__).parents[2] / "wan"
RESERVE = 20.0  # seconds for saving and for the samples


def train_from_command_line(arguments: Sequence[str]) -> None:
    """Build the pool, train, save, and draw samples."""
    begun, options = time.monotonic(), _parse_options(arguments)
    torch.set_float32_matmul_precision("high")
    torch.backends.cudnn.benchmark = True
    shape = (options.crowd, options.frames, options.size)
    pool = build_pool(
        options.base, options.device, PoolSettings(options.clips, options.seed, *shape, options.pool_seconds)
    )
    seconds = 60 * options.minutes - (time.monotonic() - begun) - RESERVE
    if seconds <= 0:
        raise SystemExit("no time is left to train: give more --minutes or fewer --clips")
    stage = TimedStage("transformer", options.state, seconds)
    noise = FlowNoise(options.shift, options.spread)
    model = train_transformer(stage, pool, options.base, WildTraining(options.batch, noise=noise))
    print(f"{stage.step} steps of {options.batch} in {seconds:.0f} s", flush=True)
    pipeline.save_wild_pipeline(model, options.base, options.out)
    _save_samples(options)
    print(f"{options.out} is written after {time.monotonic() - begun:.0f} s")


def _parse_options(arguments: Sequence[str]) -> argparse.Namespace:
    noise = WildTraining().noise
    parser = argparse.ArgumentParser(prog="python -m navicache_pocket.train --member wild", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="the folder of the pipeline")
    parser.add_argument("--minutes", type=float, default=8.0)
    parser.add_argument("--state", type=Path, help="of an interrupted training; OUT with -state by default")
    parser.add_argument("--base", type=Path, default=WAN_FOLDER, help="the folder of wan")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--seed", type=int, default=PoolSettings.seed)
    parser.add_argument("--clips", type=int, default=PoolSettings.clips)
    parser.add_argument("--pool-seconds", type=float, default=PoolSettings.max_seconds)
    parser.add_argument("--crowd", type=int, default=PoolSettings.crowd, help="objects in a scene, an even number")
    parser.add_argument("--size", type=int, default=PoolSettings.size)
    parser.add_argument("--frames", type=int, default=PoolSettings.frames)
    parser.add_argument("--batch", type=int, default=WildTraining.batch)
    parser.add_argument("--shift", type=float, default=noise.shift, help="of the noise levels in training")
    parser.add_argument("--spread", type=float, default=noise.logit_std, help="of the noise levels' logits")
    parser.add_argument("--sample-steps", type=int, default=50)
    options = parser.parse_args(arguments)
    options.state = options.state or options.out.with_name(f"{options.out.name}-state")
    return options


def _save_samples(options: argparse.Namespace) -> None:
    """Two samples of each of eight captions, beside each other."""
    pipe = pipeline.open_wild_pipeline(options.out, options.device)
    captions = [caption for caption in list_wild_captions()[::5][:8] for _ in range(2)]
    call = pipeline.VideoCall(options.sample_steps, options.size, options.frames)
    videos = pipeline.generate_videos(pipe, captions, call, seed=0)
    pipeline.save_contact_sheet(videos, options.state / "samples.jpg")
    print(f"samples of {', '.join(captions[::2])}: spread {videos.std():.3f}", flush=True)
