"""Train `wild`: `python -m navicache_pocket.train.wild --minutes 8 --out build/wild/result`.

The minutes hold for the whole command: rendering, encoding, training, and the samples at the end. The state of an
interrupted training stays in `--state`, and a second call with the same options goes on with it.
"""

import argparse
import json
import shutil
import time
from dataclasses import fields, replace
from pathlib import Path

import torch

from navicache_pocket.train.family.noise import FlowNoise
from navicache_pocket.train.timed_stage import TimedStage
from navicache_pocket.train.wild import pipeline
from navicache_pocket.train.wild.pool import PoolSettings, build_pool
from navicache_pocket.train.wild.training import WildTraining, train_transformer
from navicache_pocket.world.wild import WildSettings, list_captions

WAN_FOLDER = Path(__file__).parents[2] / "wan"
RESERVE = 30.0  # seconds for saving and for the samples


def main() -> None:
    """Build the pool, train, save, and draw samples."""
    begun, options = time.monotonic(), _parse_options()
    torch.set_float32_matmul_precision("high")
    torch.backends.cudnn.benchmark = True
    pool = build_pool(options.base, options.device, _make_pool_settings(options))
    seconds = 60 * options.minutes - (time.monotonic() - begun) - RESERVE
    if seconds <= 0:
        raise SystemExit("no time is left to train: give more --minutes or fewer --clips")
    stage = TimedStage("transformer", options.state, seconds)
    model = train_transformer(stage, pool, _make_training(options))
    size = sum(weight.numel() for weight in model.parameters())
    print(f"{size / 1e6:.1f} M parameters, {stage.step} steps of {options.batch} in {seconds:.0f} s", flush=True)
    pipeline.save_transformer(model, options.out)
    shutil.copy(options.state / "transformer_log.json", options.out / "log.json")
    (options.state / "options.json").write_text(json.dumps(vars(options), default=str, indent=1))
    _save_samples(options)
    print(f"{options.out} is written after {time.monotonic() - begun:.0f} s")


def _parse_options() -> argparse.Namespace:
    scenes, noise, loop = WildSettings(), WildTraining().noise, WildTraining().loop
    parser = argparse.ArgumentParser(prog="python -m navicache_pocket.train.wild", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="the folder of the result")
    parser.add_argument("--minutes", type=float, default=8.0)
    parser.add_argument("--state", type=Path, help="of an interrupted training; OUT with -state by default")
    parser.add_argument("--base", type=Path, default=WAN_FOLDER, help="the folder of wan")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--clips", type=int, default=PoolSettings.clips)
    parser.add_argument("--pool-seconds", type=float, default=PoolSettings.max_seconds)
    parser.add_argument("--size", type=int, default=PoolSettings.size)
    parser.add_argument("--frames", type=int, default=PoolSettings.frames)
    parser.add_argument("--board", type=int, default=scenes.board, help="objects along each side")
    parser.add_argument("--presence", type=float, default=scenes.presence, help="share of the places with an object")
    parser.add_argument("--travel", type=float, default=scenes.travel, help="of the objects")
    parser.add_argument("--tiles", type=int, default=scenes.tiles, help="of the background, along each side")
    parser.add_argument("--turns", type=int, default=scenes.turns, help="angles of the tiles' patterns")
    parser.add_argument("--patterns", type=int, default=scenes.patterns, help="of the tiles: 1 to 4")
    parser.add_argument("--textures", type=int, default=scenes.textures, help="of the objects: 1 to 3")
    parser.add_argument("--truth", type=float, default=scenes.truth, help="share of the captions that are true")
    parser.add_argument("--dim", type=int, default=WildTraining.dim)
    parser.add_argument("--layers", type=int, default=WildTraining.layers)
    parser.add_argument("--batch", type=int, default=WildTraining.batch)
    parser.add_argument("--dropout", type=float, default=WildTraining.caption_dropout, help="share of the captions")
    parser.add_argument("--shift", type=float, default=noise.shift, help="of the noise levels in training")
    parser.add_argument("--spread", type=float, default=noise.logit_std, help="of the noise levels' logits")
    parser.add_argument("--rate", type=float, default=loop.muon_learning_rate, help="of Muon")
    parser.add_argument("--sample-steps", type=int, default=50)
    options = parser.parse_args()
    options.state = options.state or options.out.with_name(f"{options.out.name}-state")
    return options


def _make_pool_settings(options: argparse.Namespace) -> PoolSettings:
    scenes = WildSettings(**{field.name: getattr(options, field.name) for field in fields(WildSettings)})
    return PoolSettings(options.clips, options.seed, options.frames, options.size, options.pool_seconds, scenes)


def _make_training(options: argparse.Namespace) -> WildTraining:
    noise = FlowNoise(options.shift, options.spread)
    loop = replace(WildTraining().loop, muon_learning_rate=options.rate)
    return WildTraining(options.dim, options.layers, options.seed, options.batch, options.dropout, noise, loop)


def _save_samples(options: argparse.Namespace) -> None:
    """Two samples of each of four captions, beside each other."""
    pipe = pipeline.open_wild_pipeline(options.out, options.base, options.device)
    captions = [caption for caption in list_captions()[::5][:4] for _ in range(2)]
    call = pipeline.VideoCall(options.sample_steps, options.size, options.frames)
    videos = pipeline.generate_videos(pipe, captions, call, seed=0)
    pipeline.save_contact_sheet(videos, options.out / "samples.jpg")
    print(f"samples of {', '.join(captions[::2])}: spread {videos.std():.3f}", flush=True)


if __name__ == "__main__":
    main()
