"""Train an embedded model from random weights: `python -m navicache_pocket.train --device cuda --out build/pocket`.

Without `--member` that is wan, which the following describes; `--member NAME --help` describes another.

Finished stages are skipped; an interrupted stage resumes where it was last saved. `--start`
trains an existing checkpoint further: its autoencoder is kept (but for the polish), so its latent space is too, unless
it is given seconds of its own.
"""

import argparse
import json
from dataclasses import replace
from pathlib import Path

import torch

from navicache.pocket.members import MEMBERS, WAN
from navicache_pocket.train import autoencoder, denoiser, polish, wan_pipeline
from navicache_pocket.train.latents import LatentDataset, encode_wan_latents
from navicache_pocket.train.timed_stage import TimedStage
from navicache_pocket.train.training_scenes import draw_training_scenes
from navicache_pocket.world import Scenes, draw_scenes, mask_objects, render_videos

HELD_OUT_SEED = 1_000_003
WILD, SOUND, TURBO, HARD = "wild", "sound", "turbo", ("flux", "ltx")
NAMES = [*dict.fromkeys((*MEMBERS, *HARD))]  # the hard ones are members once their weights are shipped


def main() -> None:
    """Train the member that `--member` names: wan here, the others by their recipes."""
    first = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    first.add_argument("--member", choices=NAMES, default=WAN)
    known, rest = first.parse_known_args()
    if known.member == WAN:
        train_wan(_parse_options())
    elif known.member == WILD:
        from navicache_pocket.train.wild.command import train_from_command_line as train_wild

        train_wild(rest)
    elif known.member in HARD:
        from navicache_pocket.train.hard.command import train_from_command_line as train_hard

        train_hard(known.member, rest)
    elif known.member == SOUND:
        from navicache_pocket.train.sound.command import train_from_command_line as train_sound

        train_sound(rest)
    elif known.member == TURBO:
        from navicache_pocket.train.turbo.command import train_from_command_line as train_turbo

        train_turbo(rest)
    else:
        from navicache_pocket.train.family.command import train_from_command_line as train_member

        train_member(known.member, rest)


def train_wan(options: argparse.Namespace) -> None:
    """Run all stages, then write the checkpoint."""
    options.out.mkdir(parents=True, exist_ok=True)
    torch.set_float32_matmul_precision("high")
    torch.backends.cudnn.benchmark = True
    kept = options.start and not _choose_autoencoder_seconds(options)
    vae = autoencoder.open_autoencoder(options.start, options.device) if kept else _train_autoencoder(options)
    if options.stage == "autoencoder":
        return
    scenes = draw_training_scenes(options.videos, denoiser.DenoiserSettings.seed, options.take)
    latents = _load_or_encode_latents(vae, scenes, options)
    stage = TimedStage("denoiser", options.out, options.denoiser_seconds)
    model = denoiser.train_denoiser(stage, latents, options.device, _make_denoiser_settings(options), options.start)
    vae.register_to_config(latents_mean=latents.mean.tolist(), latents_std=latents.std.tolist())
    stage = TimedStage("polish", options.out, options.polish_seconds)
    polish.polish_decoder(
        vae,
        model,
        latents,
        scenes,
        stage,
        options.device,
        _make_autoencoder_settings(options),
        polish.PolishSettings(),
    )
    _measure_autoencoder(vae, options, "polished")
    wan_pipeline.save_wan_pipeline(vae, model, options.out / "checkpoint")
    print(f"checkpoint in {options.out / 'checkpoint'}")


def _parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m navicache_pocket.train", description=__doc__)
    parser.add_argument("--member", choices=NAMES, default=WAN, help="each has options of its own")
    parser.add_argument("--out", type=Path, default=Path("build/pocket"))
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--stage", choices=("all", "autoencoder"), default="all")
    parser.add_argument("--start", type=Path, help="a checkpoint to train further")
    parser.add_argument("--autoencoder-seconds", type=float, help="480; with --start none")
    parser.add_argument("--denoiser-seconds", type=float, default=1400)
    parser.add_argument("--polish-seconds", type=float, default=120)
    parser.add_argument(
        "--clips", type=int, default=autoencoder.AutoencoderSettings.videos, help="videos the autoencoder sees"
    )
    parser.add_argument(
        "--videos", type=int, default=denoiser.DenoiserSettings.videos, help="captions the transformer sees"
    )
    parser.add_argument("--take", type=int, default=0, help="another number: other videos of the same captions")
    parser.add_argument("--rates", type=float, default=1.0, help="times the usual ones; less to train further")
    parser.add_argument("--batch", type=int, default=denoiser.DenoiserSettings.batch, help="of the transformer")
    parser.add_argument("--checked", type=int, default=256, help="held-out videos the autoencoder is measured on")
    parser.add_argument("--frames", type=int, default=17)
    parser.add_argument("--size", type=int, default=128)
    return parser.parse_args()


def _choose_autoencoder_seconds(options: argparse.Namespace) -> float:
    if options.autoencoder_seconds is not None:
        return options.autoencoder_seconds
    return 0.0 if options.start else 480.0


def _train_autoencoder(options: argparse.Namespace) -> autoencoder.AutoencoderKLWan:
    stage = TimedStage("autoencoder", options.out, _choose_autoencoder_seconds(options))
    model = autoencoder.train_autoencoder(stage, options.device, _make_autoencoder_settings(options), options.start)
    _measure_autoencoder(model, options, "autoencoder")
    return model


def _make_autoencoder_settings(options: argparse.Namespace) -> autoencoder.AutoencoderSettings:
    rate = autoencoder.AutoencoderSettings.learning_rate * options.rates
    return autoencoder.AutoencoderSettings(
        videos=options.clips, size=options.size, frames=options.frames, learning_rate=rate
    )


def _measure_autoencoder(model: autoencoder.AutoencoderKLWan, options: argparse.Namespace, name: str) -> None:
    scenes, shape = draw_scenes(options.checked, HELD_OUT_SEED).to(options.device), (options.frames, options.size)
    parts = [scenes[start : start + 16] for start in range(0, options.checked, 16)]
    quality = torch.cat(
        [
            autoencoder.measure_reconstruction(model, render_videos(part, *shape), mask_objects(part, *shape))
            for part in parts
        ],
        1,
    )
    whole, objects = quality
    figures = {"psnr": whole.mean().item(), "worst": whole.min().item(), "objects": objects.nanmean().item()}
    (options.out / f"{name}.json").write_text(json.dumps(figures))
    print(f"{name}, {options.checked} held-out videos: {whole.mean():.2f} dB, {whole.min():.2f} at worst;", end=" ")
    print(f"where their objects are {figures['objects']:.2f} dB")


def _make_denoiser_settings(options: argparse.Namespace) -> denoiser.DenoiserSettings:
    usual = denoiser.DenoiserSettings(videos=options.videos, batch=options.batch)
    return replace(
        usual,
        learning_rate=usual.learning_rate * options.rates,
        muon_learning_rate=usual.muon_learning_rate * options.rates,
    )


def _load_or_encode_latents(
    model: autoencoder.AutoencoderKLWan, scenes: Scenes, options: argparse.Namespace
) -> LatentDataset:
    # the name holds what they depend on: latents of another take would be paired with this one's videos in the polish
    path = options.out / f"latents-{options.take}-{options.videos}x{options.frames}x{options.size}.pt"
    if not path.exists():
        encode_wan_latents(model, scenes, options.device, options.frames, options.size).save(path)
    return LatentDataset.load(path, options.device)


if __name__ == "__main__":
    main()
