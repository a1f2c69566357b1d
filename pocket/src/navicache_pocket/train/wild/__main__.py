"""Train `wild`: `python -m navicache_pocket.train.wild --minutes 8 --out build/wild/result`.

The minutes hold for the whole command: rendering, encoding, training, and the samples at the end. The state of an
interrupted training stays in `--state`, and a second call with the same options goes on with it.
"""

import argparse
import json
import shutil
import time
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
    (options.out / "options.json").write_text(json.dumps(vars(options), default=str, indent=1))
    _save_samples(options)
    print(f"{options.out} is written after {time.monotonic() - begun:.0f} s")


def _parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m navicache_pocket.train.wild", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="the folder of the result")
    parser.add_argument("--minutes", type=float, default=8.0)
    parser.add_argument("--state", type=Path, help="of an interrupted training; OUT with -state by default")
    parser.add_argument("--base", type=Path, default=WAN_FOLDER, help="the folder of wan")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--clips", type=int, default=PoolSettings.clips)
    parser.add_argument("--pool-seconds", type=float, default=PoolSettings.max_seconds)
    parser.add_argument("--size", type=int, default=128)
    parser.add_argument("--objects", type=int, nargs=2, default=(4, 9), metavar=("FEWEST", "MOST"))
    parser.add_argument("--large", type=int, default=2, help="large ones among the objects")
    parser.add_argument("--layout", type=float, default=1.0, help="share of the scenes with panels")
    parser.add_argument("--dim", type=int, default=WildTraining.dim)
    parser.add_argument("--layers", type=int, default=WildTraining.layers)
    parser.add_argument("--batch", type=int, default=WildTraining.batch)
    parser.add_argument("--dropout", type=float, default=WildTraining.caption_dropout, help="share of the captions")
    parser.add_argument("--shift", type=float, default=3.0, help="of the noise levels in training")
    parser.add_argument("--sample-steps", type=int, default=50)
    options = parser.parse_args()
    options.state = options.state or options.out.with_name(f"{options.out.name}-state")
    return options


def _make_pool_settings(options: argparse.Namespace) -> PoolSettings:
    fewest, most = options.objects
    scenes = WildSettings(fewest, most, options.large, options.layout)
    return PoolSettings(options.clips, options.seed, 17, options.size, options.pool_seconds, scenes)


def _make_training(options: argparse.Namespace) -> WildTraining:
    return WildTraining(
        options.dim, options.layers, options.seed, options.batch, options.dropout, FlowNoise(options.shift)
    )


def _save_samples(options: argparse.Namespace) -> None:
    """Two samples of each of four captions, beside each other."""
    pipe = pipeline.open_wild_pipeline(options.out, options.base, options.device)
    captions = [caption for caption in list_captions()[::5][:4] for _ in range(2)]
    videos = pipeline.generate_videos(pipe, captions, options.sample_steps, seed=0, size=options.size)
    pipeline.save_contact_sheet(videos, options.out / "samples.jpg")
    print(f"samples of {', '.join(captions[::2])}: spread {videos.std():.3f}", flush=True)


if __name__ == "__main__":
    main()
