"""Configurations of wan's parts: classes of diffusers and transformers, made small."""

from typing import Any

# Two by two pixels become channels first (as in Wan 2.2's autoencoder), so that no layer works at full resolution.
AUTOENCODER: dict[str, Any] = {
    "base_dim": 48,
    "decoder_base_dim": 56,
    "z_dim": 16,
    "dim_mult": [1, 2, 2],
    "num_res_blocks": 1,
    "temperal_downsample": [True, True],
    "is_residual": True,
    "patch_size": 2,
    "in_channels": 12,
    "out_channels": 12,
    "scale_factor_temporal": 4,
    "scale_factor_spatial": 8,
    "latents_mean": [0.0] * 16,
    "latents_std": [1.0] * 16,
}
TRANSFORMER: dict[str, Any] = {
    "patch_size": (1, 2, 2),
    "num_attention_heads": 6,
    "attention_head_dim": 64,
    "in_channels": 16,
    "out_channels": 16,
    "text_dim": 256,
    "freq_dim": 256,
    "ffn_dim": 1152,
    "num_layers": 8,
}
TEXT_ENCODER: dict[str, Any] = {
    "d_model": 256,
    "d_kv": 64,
    "d_ff": 512,
    "num_layers": 2,
    "num_heads": 4,
    "feed_forward_proj": "gated-gelu",
    "dropout_rate": 0.0,
}
SCHEDULER: dict[str, Any] = {
    "prediction_type": "flow_prediction",
    "use_flow_sigmas": True,
    "flow_shift": 3.0,
    "num_train_timesteps": 1000,
}
