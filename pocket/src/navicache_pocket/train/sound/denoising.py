"""The last stage: both modalities' latents from one caption."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

import torch
from diffusers import LTX2Pipeline
from torch import Tensor, nn
from tqdm import trange

from navicache.records import open_atomic_file
from navicache_pocket.train.cuda_graph import StepFigures
from navicache_pocket.train.family.autoencoding import autocast_on_gpu
from navicache_pocket.train.family.denoising import CAPTION_DROPOUT
from navicache_pocket.train.family.noise import FlowNoise
from navicache_pocket.train.sound import gemma_tokenizer, parts
from navicache_pocket.train.sound.bands import measure_bands
from navicache_pocket.train.sound.sizes import VIDEO_SCALES, SoundSizes
from navicache_pocket.world import Scenes, list_vocabulary, write_captions
from navicache_pocket.world.captions import MAX_CAPTION_TOKENS
from navicache_pocket.world.sounds import render_sounds

BATCH_SIZE = 128
NOISE = FlowNoise(shift=2.0)  # more low noise than a sampler with shift 3 meets: outlines become crisp there


@dataclass(frozen=True)
class SoundLatents:
    """Latents of both modalities as the pipeline packs them, with unit deviation, and their captions' tokens."""

    video: Tensor  # (scenes, tokens, channels)
    audio: Tensor
    ids: Tensor
    video_mean: Tensor
    video_std: Tensor
    audio_mean: Tensor
    audio_std: Tensor

    def save(self, path: Path) -> None:
        """Write them to a file."""
        with open_atomic_file(path) as file:
            torch.save(asdict(self), file)

    @classmethod
    def load(cls, path: Path, device: str) -> Self:
        """Read what `save` wrote."""
        return cls(**torch.load(path, map_location=device, weights_only=True))

    def store_moments(self, vae: Any, audio_vae: Any) -> None:
        """Both autoencoders bring the moments with which the pipeline undoes the scaling."""
        for own, mean, std in ((vae, self.video_mean, self.video_std), (audio_vae, self.audio_mean, self.audio_std)):
            own.latents_mean.copy_(mean)
            own.latents_std.copy_(std)


@torch.no_grad()
def encode_scenes(vae: Any, audio_vae: Any, scenes: Scenes, sizes: SoundSizes, device: str) -> SoundLatents:
    """Render these scenes, see and hear them through the autoencoders."""
    videos: list[Tensor] = []
    sounds: list[Tensor] = []
    for start in trange(0, len(scenes), BATCH_SIZE, desc="encoding", unit="batch", mininterval=10):
        part = scenes[start : start + BATCH_SIZE].to(device)
        bands = measure_bands(render_sounds(part, sizes.hops, sizes.moving_hops))
        with autocast_on_gpu(bands):
            seen = vae.encode(sizes.video_format.render_scenes(part)).latent_dist.sample()
            heard = audio_vae.encode(bands).latent_dist.sample()
        videos.append(LTX2Pipeline._pack_latents(seen).bfloat16())
        sounds.append(LTX2Pipeline._pack_audio_latents(heard).bfloat16())
    video, audio = _normalise(torch.cat(videos)), _normalise(torch.cat(sounds))
    return SoundLatents(video[0], audio[0], tokenize(write_captions(scenes)).to(device), *video[1:], *audio[1:])


def _normalise(latents: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    mean, std = latents.float().mean((0, 1)), latents.float().std((0, 1))
    return ((latents - mean) / std).bfloat16(), mean, std


def tokenize(captions: list[str]) -> Tensor:
    """Token ids as the pipeline has them with `max_sequence_length` of the longest caption."""
    tokenizer = gemma_tokenizer.build_gemma_tokenizer(list_vocabulary())
    return gemma_tokenizer.encode_captions(tokenizer, captions, MAX_CAPTION_TOKENS)


class SoundDenoiser(nn.Module):
    """Text encoder, connectors and transformer, called as `LTX2Pipeline` calls them."""

    empty_prompt_ids: Tensor

    def __init__(self, sizes: SoundSizes) -> None:
        """With random weights."""
        super().__init__()
        self.sizes = sizes
        self.text_encoder = parts.make_text_encoder(sizes)
        self.connectors = parts.make_connectors(sizes)
        self.transformer = parts.make_transformer(sizes)
        self.register_buffer("empty_prompt_ids", tokenize([""]), persistent=False)

    def forward(
        self, video: Tensor, audio: Tensor, timestep: Tensor, token_ids: Tensor, is_dropped: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Both velocities; rows of `is_dropped` are denoised without their caption."""
        token_ids = torch.where(is_dropped[:, None], self.empty_prompt_ids, token_ids)
        there = (token_ids != 0).long()
        # without its vision part, which wants to be told in training which tokens are pictures
        language = self.text_encoder.model.language_model
        states = language(input_ids=token_ids, attention_mask=there, output_hidden_states=True).hidden_states
        told = self.connectors(torch.stack(states, -1).flatten(2, 3), there, padding_side="left")
        frames, size, scales = self.sizes.video_format.frames, self.sizes.video_format.size, VIDEO_SCALES
        return self.transformer(
            hidden_states=video,
            audio_hidden_states=audio,
            encoder_hidden_states=told[0],
            audio_encoder_hidden_states=told[1],
            timestep=timestep,
            sigma=timestep,
            encoder_attention_mask=told[2],
            audio_encoder_attention_mask=told[2],
            num_frames=(frames - 1) // scales[0] + 1,
            height=size // scales[1],
            width=size // scales[2],
            fps=float(self.sizes.fps),
            audio_num_frames=self.sizes.audio_latents,
            use_cross_timestep=True,
            return_dict=False,
        )


def make_denoising_loss(model: SoundDenoiser, latents: SoundLatents, batch: int) -> Callable[[], StepFigures]:
    """A function that computes the loss of a random batch; both modalities have the same noise level."""

    def compute_loss() -> StepFigures:
        rows = torch.randint(0, len(latents.ids), (batch,), device=latents.ids.device)
        seen = NOISE(latents.video[rows].float())
        clean = latents.audio[rows].float()
        heard = NOISE.add_noise(clean, torch.randn_like(clean), seen.timestep)
        dropped = torch.rand(batch, device=rows.device) < CAPTION_DROPOUT
        with autocast_on_gpu(clean):
            found = model(seen.latents, heard.latents, seen.timestep, latents.ids[rows], dropped)
        video, audio = (
            (own.float() - noisy.target).square().mean() for own, noisy in zip(found, (seen, heard), strict=True)
        )
        return {"loss": video + audio, "video": video, "audio": audio}

    return compute_loss
