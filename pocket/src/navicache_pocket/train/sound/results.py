"""What a trained `sound` can do: figures, a contact sheet, and its sounds beside the rendered ones."""

import wave
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from navicache.evaluation.sound import Sound, audio_snr, log_spectral_distance
from navicache.records import open_atomic_file
from navicache_pocket.train.family.contact_sheet import draw_contact_sheet
from navicache_pocket.train.held_out import draw_held_out_scenes
from navicache_pocket.train.sound.autoencoding import restore_sounds
from navicache_pocket.train.sound.bands import measure_bands
from navicache_pocket.train.sound.sizes import SoundSizes
from navicache_pocket.world import Scenes, write_captions
from navicache_pocket.world.sounds import RATE, render_sounds

BATCH_SIZE = 64
PAUSE = RATE // 4  # samples of silence between two sounds of the file


@torch.no_grad()
def measure_sound_parts(vae: Any, vocoder: Any, scenes: Scenes, sizes: SoundSizes, device: str) -> dict[str, float]:
    """Audio autoencoder and vocoder on rendered scenes: SNR, log-spectral distance, and the vocoder's SNR alone."""
    scores: dict[str, list[float]] = {"snr": [], "log_spectral_distance": [], "vocoder_snr": []}
    for start in range(0, len(scenes), BATCH_SIZE):
        sounds = render_sounds(scenes[start : start + BATCH_SIZE].to(device), sizes.hops, sizes.moving_hops)
        restored, spoken = restore_sounds(vae, vocoder, sounds), vocoder(measure_bands(sounds))
        for true, made, alone in zip(*map(_to_numpy, (sounds, restored, spoken)), strict=True):
            pair = (Sound(true, RATE), Sound(made, RATE))
            scores["snr"].append(audio_snr(*pair))
            scores["log_spectral_distance"].append(log_spectral_distance(*pair))
            scores["vocoder_snr"].append(audio_snr(pair[0], Sound(alone, RATE)))
    means = {name: float(np.mean(values)) for name, values in scores.items()}
    return {**means, "worst_snr": min(scores["snr"])}


def save_samples(out: Path, pipe: Any, call: dict[str, Any], sizes: SoundSizes, count: int) -> dict[str, float]:
    """Generate held-out captions; write `sheet.png` and `sounds.wav`, and return how well the sounds fit."""
    scenes = draw_held_out_scenes(count)
    prompts = write_captions(scenes)
    videos, sounds = generate_pairs(pipe, prompts, call)
    rendered = (sizes.video_format.render_scenes(scenes).permute(0, 2, 3, 4, 1).numpy() + 1) / 2
    with open_atomic_file(out / "sheet.png") as file:
        draw_contact_sheet(prompts, videos, rendered).save(file, format="PNG")
    true = render_sounds(scenes, sizes.hops, sizes.moving_hops)
    write_wave(out / "sounds.wav", [own for pair in zip(sounds, true, strict=True) for own in pair])
    return {"own_chord": measure_chord_match(sounds, true), "loudness": (sounds.std() / true.std()).item()}


def generate_pairs(
    pipe: Any, prompts: Sequence[str], call: dict[str, Any], batch: int = 8
) -> tuple[np.ndarray, Tensor]:
    """Videos (prompts, frames, height, width, 3) in [0, 1] and sounds (prompts, 2, samples)."""
    pipe.set_progress_bar_config(disable=True)
    videos: list[np.ndarray] = []
    sounds: list[Tensor] = []
    for start in range(0, len(prompts), batch):
        generator, part = torch.Generator().manual_seed(start), list(prompts[start : start + batch])
        video, sound = pipe(part, generator=generator, output_type="np", return_dict=False, **call)
        videos.append(np.asarray(video))
        sounds.append(sound.float().cpu())
    return np.concatenate(videos), torch.cat(sounds)


def measure_chord_match(made: Tensor, true: Tensor) -> float:
    """Share of the sounds whose mean levels are nearest to those of their own caption's rendered sound.

    Example:
        >>> from navicache_pocket.world import draw_scenes
        >>> sounds = render_sounds(draw_scenes(5, seed=0), 20, 16)
        >>> measure_chord_match(0.9 * sounds, sounds)
        1.0
    """
    first, second = (measure_bands(own).mean(2).flatten(1) for own in (made, true))
    nearest = torch.cdist(first, second).argmin(1)
    return (nearest == torch.arange(len(nearest))).float().mean().item()


def write_wave(path: Path, sounds: Sequence[Tensor]) -> None:
    """Write waveforms (channels, samples) one after the other, with pauses, as 16-bit PCM."""
    silence = torch.zeros(len(sounds[0]), PAUSE)
    samples = torch.cat([part for own in sounds for part in (own, silence)], 1).clamp(-1, 1)
    with open_atomic_file(path) as file, wave.open(file, "wb") as writer:
        writer.setparams((len(samples), 2, RATE, 0, "NONE", ""))
        writer.writeframes((samples.T * 32767).round().short().numpy().tobytes())


def _to_numpy(sounds: Tensor) -> np.ndarray:
    return sounds.float().cpu().numpy()
