"""Train `flux` or `ltx`: `python -m navicache_pocket.train --member flux --minutes 8.5 --out build/flux/result`.

The minutes hold for the whole command: rendering, encoding, training, and the samples at the end. The state of a
training stays in `--state`, and a second call trains it further, for its own minutes: learning rates then rise again to
where they would be at that point of the whole time.
"""

import argparse
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import torch

from navicache.pocket.members import Member
from navicache_pocket.train.family.noise import FlowNoise
from navicache_pocket.train.hard.catalog import RECIPES
from navicache_pocket.train.hard.recipe import HardRecipe
from navicache_pocket.train.hard.samples import generate_pictures, open_hard_pipeline
from navicache_pocket.train.hard.training import CaptionedLatents, HardTraining, train_denoiser
from navicache_pocket.train.timed_stage import TimedStage
from navicache_pocket.train.wild.pipeline import save_contact_sheet
from navicache_pocket.train.wild.pool import PoolSettings, encode_clips
from navicache_pocket.world.wild import list_wild_captions

RESERVE = 25.0  # seconds for saving and for the samples
CLIPS = {"flux": 65536, "ltx": 40960}


def train_from_command_line(name: str, arguments: Sequence[str]) -> None:
    """Build the pool, train, save, and draw samples."""
    begun, options = time.monotonic(), _parse_options(name, arguments)
    torch.set_float32_matmul_precision("high")
    torch.backends.cudnn.benchmark = True
    recipe = replace(RECIPES[name], size=options.size)  # pyright: ignore[reportArgumentType]
    pool = _build_pool(recipe, options)
    seconds = 60 * options.minutes - (time.monotonic() - begun) - options.reserve
    if seconds <= 0:
        raise SystemExit("no time is left to train: give more --minutes or fewer --clips")
    stage = TimedStage("denoiser", options.state, seconds)
    stage.resume("cpu")
    stage.seconds += stage.seconds_spent
    model = train_denoiser(stage, recipe, pool, _make_settings(options))
    print(f"{stage.step} steps of {options.batch} in {stage.seconds_spent:.0f} s", flush=True)
    recipe.save_pipeline(model, options.out)
    _save_samples(recipe.member, options)
    print(f"{options.out} is written after {time.monotonic() - begun:.0f} s")


def _parse_options(name: str, arguments: Sequence[str]) -> argparse.Namespace:
    usual = HardTraining()
    parser = argparse.ArgumentParser(prog=f"python -m navicache_pocket.train --member {name}", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="the folder of the pipeline")
    parser.add_argument("--minutes", type=float, default=8.5)
    parser.add_argument("--reserve", type=float, default=RESERVE, help="seconds of them for saving and samples")
    parser.add_argument("--state", type=Path, help="of the training; OUT with -state by default")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--seed", type=int, default=PoolSettings.seed, help="of the scenes")
    parser.add_argument("--clips", type=int, default=CLIPS[name])
    parser.add_argument("--pool-seconds", type=float, default=60.0)
    parser.add_argument("--crowd", type=int, default=PoolSettings.crowd, help="objects in a scene, an even number")
    parser.add_argument("--size", type=int, default=RECIPES[name].size)
    parser.add_argument("--batch", type=int, default=usual.batch)
    parser.add_argument("--rate", type=float, default=1.0, help="times the usual learning rates")
    parser.add_argument("--ema", type=float, default=usual.loop.ema_decay, help="decay of the averaged weights")
    parser.add_argument("--shift", type=float, default=usual.noise.shift, help="of the noise levels in training")
    parser.add_argument("--spread", type=float, default=usual.noise.logit_std, help="of the noise levels' logits")
    parser.add_argument("--sample-steps", type=int, default=50)
    options = parser.parse_args(arguments)
    options.state = options.state or options.out.with_name(f"{options.out.name}-state")
    return options


def _build_pool(recipe: HardRecipe, options: argparse.Namespace) -> CaptionedLatents:
    settings = PoolSettings(
        options.clips, options.seed, options.crowd, recipe.frames, options.size, options.pool_seconds
    )
    return CaptionedLatents(*encode_clips(recipe.open_encoder(options.device), options.device, settings))


def _make_settings(options: argparse.Namespace) -> HardTraining:
    usual = HardTraining()
    loop = replace(
        usual.loop,
        learning_rate=usual.loop.learning_rate * options.rate,
        muon_learning_rate=usual.loop.muon_learning_rate * options.rate,
        ema_decay=options.ema,
    )
    return HardTraining(options.batch, noise=FlowNoise(options.shift, options.spread), loop=loop)


def _save_samples(member: Member, options: argparse.Namespace) -> None:
    """Two samples of each of eight captions, beside each other."""
    pipe = open_hard_pipeline(member, options.out, options.device)
    captions = [caption for caption in list_wild_captions()[::5][:8] for _ in range(2)]
    changes = {"num_inference_steps": options.sample_steps, "height": options.size, "width": options.size}
    videos = generate_pictures(pipe, captions, {**member.call, **changes}, seed=0)
    save_contact_sheet(videos, options.state / "samples.jpg")
    print(f"samples of {', '.join(captions[::2])}: spread {videos.std():.3f}", flush=True)
