"""Train an embedded model from nothing: `python -m navicache_pocket.train --device cuda --out build/pocket`.

Without `--member` that is wan, of which the following is said; `--member NAME --help` tells of another.

Stages that are finished are not done again, and one that was interrupted goes on where it was saved last. `--start`
trains an existing checkpoint further: its autoencoder is kept (but for the polish), so its latent space is too, unless
it is given seconds of its own.
"""

import argparse
import json
from dataclasses import replace
from pathlib import Path

import torch

from navicache.pocket.members import MEMBERS, WAN
from navicache_pocket.train import autoencoder, denoiser, pack, polish
from navicache_pocket.train.latents import Latents, encode_world
from navicache_pocket.train.practice import practice
from navicache_pocket.train.session import Session
from navicache_pocket.world import Scenes, covered, draw, render

HELD_OUT_SEED = 1_000_003


def main() -> None:
    """The member that was asked for: wan here, the others by their recipes."""
    first = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    first.add_argument("--member", choices=[*MEMBERS], default=WAN)
    known, rest = first.parse_known_args()
    if known.member == WAN:
        train_wan(_options())
    else:
        from navicache_pocket.train.family.command import main as train_member

        train_member(known.member, rest)


def train_wan(options: argparse.Namespace) -> None:
    """All stages, then the checkpoint."""
    options.out.mkdir(parents=True, exist_ok=True)
    torch.set_float32_matmul_precision("high")
    torch.backends.cudnn.benchmark = True
    kept = options.start and not _autoencoder_seconds(options)
    vae = autoencoder.opened(options.start, options.device) if kept else _autoencoder(options)
    if options.stage == "autoencoder":
        return
    scenes = practice(options.videos, denoiser.Settings.seed, options.take)
    latents = _latents(vae, scenes, options)
    session = Session("denoiser", options.out, options.denoiser_seconds)
    model = denoiser.train(session, latents, options.device, _settings(options), options.start)
    vae.register_to_config(latents_mean=latents.mean.tolist(), latents_std=latents.std.tolist())
    session = Session("polish", options.out, options.polish_seconds)
    polish.polish(vae, model, latents, scenes, session, options.device, _clips(options), polish.Settings())
    _check(vae, options, "polished")
    pack.pack(vae, model, options.out / "checkpoint")
    print(f"checkpoint in {options.out / 'checkpoint'}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m navicache_pocket.train", description=__doc__)
    parser.add_argument("--member", choices=[*MEMBERS], default=WAN, help="each has options of its own")
    parser.add_argument("--out", type=Path, default=Path("build/pocket"))
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--stage", choices=("all", "autoencoder"), default="all")
    parser.add_argument("--start", type=Path, help="a checkpoint to train further")
    parser.add_argument("--autoencoder-seconds", type=float, help="480; with --start none")
    parser.add_argument("--denoiser-seconds", type=float, default=1400)
    parser.add_argument("--polish-seconds", type=float, default=120)
    parser.add_argument("--clips", type=int, default=autoencoder.Settings.videos, help="videos the autoencoder sees")
    parser.add_argument("--videos", type=int, default=denoiser.Settings.videos, help="captions the transformer sees")
    parser.add_argument("--take", type=int, default=0, help="another number: other videos of the same captions")
    parser.add_argument("--rates", type=float, default=1.0, help="times the usual ones; less to train further")
    parser.add_argument("--batch", type=int, default=denoiser.Settings.batch, help="of the transformer")
    parser.add_argument("--checked", type=int, default=256, help="held-out videos the autoencoder is measured on")
    parser.add_argument("--frames", type=int, default=17)
    parser.add_argument("--size", type=int, default=128)
    return parser.parse_args()


def _autoencoder_seconds(options: argparse.Namespace) -> float:
    if options.autoencoder_seconds is not None:
        return options.autoencoder_seconds
    return 0.0 if options.start else 480.0


def _autoencoder(options: argparse.Namespace) -> autoencoder.AutoencoderKLWan:
    session = Session("autoencoder", options.out, _autoencoder_seconds(options))
    model = autoencoder.train(session, options.device, _clips(options), options.start)
    _check(model, options, "autoencoder")
    return model


def _clips(options: argparse.Namespace) -> autoencoder.Settings:
    rate = autoencoder.Settings.rate * options.rates
    return autoencoder.Settings(videos=options.clips, size=options.size, frames=options.frames, rate=rate)


def _check(model: autoencoder.AutoencoderKLWan, options: argparse.Namespace, name: str) -> None:
    scenes, shape = draw(options.checked, HELD_OUT_SEED).to(options.device), (options.frames, options.size)
    parts = [scenes[start : start + 16] for start in range(0, options.checked, 16)]
    quality = torch.cat([autoencoder.measure(model, render(part, *shape), covered(part, *shape)) for part in parts], 1)
    whole, objects = quality
    figures = {"psnr": whole.mean().item(), "worst": whole.min().item(), "objects": objects.nanmean().item()}
    (options.out / f"{name}.json").write_text(json.dumps(figures))
    print(f"{name}, {options.checked} held-out videos: {whole.mean():.2f} dB, {whole.min():.2f} at worst;", end=" ")
    print(f"where their objects are {figures['objects']:.2f} dB")


def _settings(options: argparse.Namespace) -> denoiser.Settings:
    usual = denoiser.Settings(videos=options.videos, batch=options.batch)
    return replace(usual, rate=usual.rate * options.rates, matrix_rate=usual.matrix_rate * options.rates)


def _latents(model: autoencoder.AutoencoderKLWan, scenes: Scenes, options: argparse.Namespace) -> Latents:
    # named by what they are of: those of another take would be paired with this one's videos in the polish
    path = options.out / f"latents-{options.take}-{options.videos}x{options.frames}x{options.size}.pt"
    if not path.exists():
        encode_world(model, scenes, options.device, options.frames, options.size).save(path)
    return Latents.load(path, options.device)


if __name__ == "__main__":
    main()
