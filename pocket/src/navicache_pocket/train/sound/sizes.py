"""Sizes of `sound`: what it shows and plays, and the configurations of its parts."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from navicache.pocket.members import Member, find_member
from navicache_pocket.train.family.recipe import VideoFormat
from navicache_pocket.train.sound.bands import BANDS
from navicache_pocket.world.sounds import HOP, RATE

ModelConfig = Mapping[str, Any]
AUDIO_RATIO = 4  # bands of time and of frequency per latent, as LTX-2's audio autoencoder always has it
VIDEO_SCALES = (4, 8, 8)
SHIFT = 3.0
# A downsampler averages its eight-fold channels in groups, so each width divides eight times the one before.
VIDEO_AUTOENCODER: ModelConfig = {
    "latent_channels": 24,
    "block_out_channels": (48, 96),
    "decoder_block_out_channels": (48, 96),
    "layers_per_block": (1, 1, 1),
    "decoder_layers_per_block": (2, 1, 1),
}
AUDIO_AUTOENCODER: ModelConfig = {"base_channels": 64, "ch_mult": (1, 1, 1), "latent_channels": 8}
VOCODER: ModelConfig = {
    "hidden_channels": 72,
    "resnet_kernel_sizes": [3],
    "resnet_dilations": [[1, 3]],
}
TEXT_ENCODER: ModelConfig = {
    "hidden_size": 128,
    "intermediate_size": 256,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 32,
    "query_pre_attn_scalar": 32,
}
TRANSFORMER: ModelConfig = {
    "num_attention_heads": 6,
    "attention_head_dim": 32,
    "audio_num_attention_heads": 6,
    "audio_attention_head_dim": 16,
    "num_layers": 6,
}


@dataclass(frozen=True)
class SoundSizes:
    """The sizes of one model; tests pass smaller ones."""

    video_format: VideoFormat = VideoFormat(9, 64)
    fps: int = 8
    steps: int = 50
    video: ModelConfig = field(default_factory=lambda: VIDEO_AUTOENCODER)
    audio: ModelConfig = field(default_factory=lambda: AUDIO_AUTOENCODER)
    vocoder: ModelConfig = field(default_factory=lambda: VOCODER)
    text: ModelConfig = field(default_factory=lambda: TEXT_ENCODER)
    transformer: ModelConfig = field(default_factory=lambda: TRANSFORMER)

    @property
    def audio_latents(self) -> int:
        """Audio latents of a video, as the pipeline counts them."""
        return round(self.video_format.frames / self.fps * RATE / HOP / AUDIO_RATIO)

    @property
    def hops(self) -> int:
        """Hops of its sound: the first latent stands for one, every other for four."""
        return AUDIO_RATIO * (self.audio_latents - 1) + 1

    @property
    def moving_hops(self) -> int:
        """Hops from the first frame to the last."""
        return round((self.video_format.frames - 1) / self.fps * RATE / HOP)

    @property
    def packed_audio_channels(self) -> int:
        """Numbers of one audio latent over all bands: the transformer's audio channels."""
        return self.audio["latent_channels"] * BANDS // AUDIO_RATIO

    @property
    def member(self) -> Member:
        """The member, with the call of these sizes."""
        own, size = find_member("sound"), self.video_format.size
        shape = {"num_frames": self.video_format.frames, "height": size, "width": size}
        call = {**own.call, **shape, "num_inference_steps": self.steps, "frame_rate": float(self.fps)}
        return replace(own, call=call, fps=self.fps)
