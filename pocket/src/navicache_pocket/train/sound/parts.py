"""The parts of an LTX-2 pipeline in small, with random weights."""

from typing import Any

from diffusers import (
    AutoencoderKLLTX2Audio,
    AutoencoderKLLTX2Video,
    FlowMatchEulerDiscreteScheduler,
    LTX2VideoTransformer3DModel,
)
from diffusers.pipelines.ltx2 import LTX2TextConnectors, LTX2Vocoder
from transformers import Gemma3Config, Gemma3ForConditionalGeneration, Gemma3TextConfig

from navicache_pocket.train.family.diffusers_vae import narrow_posterior
from navicache_pocket.train.sound.bands import BANDS
from navicache_pocket.train.sound.gemma_tokenizer import SPECIAL_TOKENS
from navicache_pocket.train.sound.sizes import SHIFT, VIDEO_SCALES, SoundSizes
from navicache_pocket.world import list_vocabulary
from navicache_pocket.world.captions import MAX_CAPTION_TOKENS
from navicache_pocket.world.sounds import HOP, RATE

# Gemma 3 reads pictures too. The pipeline never shows it one, so this part is as small as it can be.
VISION = {
    "hidden_size": 8,
    "intermediate_size": 8,
    "num_hidden_layers": 1,
    "num_attention_heads": 1,
    "image_size": 16,
    "patch_size": 8,
}
LONGEST_TEXT = 1024  # tokens that LTX2Pipeline pads to unless told otherwise


def make_video_autoencoder(sizes: SoundSizes) -> AutoencoderKLLTX2Video:
    """Eight by eight by four pixels to one latent."""
    both: dict[str, Any] = {"spatio_temporal_scaling": (True, True), "decoder_spatio_temporal_scaling": (True, True)}
    vae = AutoencoderKLLTX2Video(
        **sizes.video,
        **both,
        down_block_types=("LTX2VideoDownBlock3D",) * 2,
        decoder_inject_noise=(False,) * 3,
        downsample_type=("spatiotemporal",) * 2,
        upsample_type=("spatiotemporal",) * 2,
        upsample_residual=(True, True),
        upsample_factor=(2, 2),
        patch_size=2,
        spatial_compression_ratio=VIDEO_SCALES[1],
        temporal_compression_ratio=VIDEO_SCALES[0],
    )
    bias: Any = vae.encoder.conv_out.conv.bias
    bias.data[-1] = -6.0  # one log variance for all channels: as `narrow_posterior` sets it
    return vae


def make_audio_autoencoder(sizes: SoundSizes) -> AutoencoderKLLTX2Audio:
    """Four hops by four bands to one latent, in two channels."""
    vae: Any = AutoencoderKLLTX2Audio(
        **sizes.audio,
        in_channels=2,
        output_channels=2,
        num_res_blocks=1,
        resolution=BANDS,
        sample_rate=RATE,
        mel_hop_length=HOP,
        mel_bins=BANDS,
    )
    narrow_posterior(vae.encoder.conv_out.conv)
    return vae


def make_vocoder(sizes: SoundSizes) -> LTX2Vocoder:
    """64 samples to a hop."""
    return LTX2Vocoder(
        **sizes.vocoder,
        in_channels=2 * BANDS,
        out_channels=2,
        upsample_kernel_sizes=[2 * HOP],  # in one step: each hop is a sum of waves, faded over two
        upsample_factors=[HOP],
        output_sampling_rate=RATE,
    )


def make_text_encoder(sizes: SoundSizes) -> Gemma3ForConditionalGeneration:
    """A small Gemma 3 over the words of the world."""
    known = len(SPECIAL_TOKENS) + len(list_vocabulary())
    tokens: dict[str, Any] = {f"{name}_token_id": SPECIAL_TOKENS.index(f"<{name}>") for name in ("pad", "bos", "eos")}
    text = Gemma3TextConfig(
        **sizes.text,
        vocab_size=known,
        max_position_embeddings=LONGEST_TEXT,
        sliding_window=LONGEST_TEXT,
        **tokens,
    )
    config = Gemma3Config(text_config=text.to_dict(), vision_config=VISION, mm_tokens_per_image=4)
    return Gemma3ForConditionalGeneration(config)


def make_connectors(sizes: SoundSizes) -> LTX2TextConnectors:
    """One layer for each of video and sound."""
    heads, width = sizes.text["num_attention_heads"], sizes.text["hidden_size"]
    own: dict[str, Any] = {
        "num_attention_heads": heads,
        "attention_head_dim": width // heads,
        "num_layers": 1,
        "num_learnable_registers": MAX_CAPTION_TOKENS,
    }
    both: dict[str, Any] = {
        f"{which}_connector_{name}": value for which in ("video", "audio") for name, value in own.items()
    }
    layers = sizes.text["num_hidden_layers"] + 1
    return LTX2TextConnectors(caption_channels=width, text_proj_in_factor=layers, rope_double_precision=False, **both)


def make_transformer(sizes: SoundSizes) -> LTX2VideoTransformer3DModel:
    """Positions are shares of the picture and of its seconds, so that they fill the range of the embedding."""
    own, video_format = sizes.transformer, sizes.video_format
    seconds = max(1, round(video_format.frames / sizes.fps))
    return LTX2VideoTransformer3DModel(
        **own,
        in_channels=sizes.video["latent_channels"],
        out_channels=sizes.video["latent_channels"],
        cross_attention_dim=own["num_attention_heads"] * own["attention_head_dim"],
        audio_in_channels=sizes.packed_audio_channels,
        audio_out_channels=sizes.packed_audio_channels,
        audio_cross_attention_dim=own["audio_num_attention_heads"] * own["audio_attention_head_dim"],
        vae_scale_factors=VIDEO_SCALES,
        base_height=video_format.size,
        base_width=video_format.size,
        pos_embed_max_pos=seconds,
        audio_pos_embed_max_pos=seconds,
        audio_sampling_rate=RATE,
        audio_hop_length=HOP,
        caption_channels=sizes.text["hidden_size"],
        rope_theta=50.0,
        rope_double_precision=False,
    )


def make_scheduler() -> FlowMatchEulerDiscreteScheduler:
    """Flow matching with a fixed shift."""
    return FlowMatchEulerDiscreteScheduler(shift=SHIFT)
