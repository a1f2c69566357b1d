"""Tiny builds of pipelines that denoise the tokens of a codebook."""

from __future__ import annotations

from typing import Any

from diffusers.pipelines.deprecated.vq_diffusion.pipeline_vq_diffusion import LearnedClassifierFreeSamplingEmbeddings
from tests.tiny.common import component
from tests.tiny.zoo.case import Case
from tests.tiny.zoo.parts import SIDE

from .pixels import MOVQ

CODES: dict[str, Any] = {
    "num_attention_heads": 2,
    "attention_head_dim": 12,
    "num_layers": 2,
    "cross_attention_dim": 16,
    "attention_bias": True,
    "sample_size": 4,
    "num_vector_embeds": 17,
    "num_embeds_ada_norm": 100,
    "norm_type": "ada_norm",
    "activation_fn": "geglu-approximate",
}


def unguided() -> Any:
    """What stands for no text."""
    return component(lambda: LearnedClassifierFreeSamplingEmbeddings(learnable=True, hidden_size=16, length=77), seed=4)


TOKENS: tuple[Case, ...] = (
    Case(
        "AmusedPipeline",
        {
            "transformer": (
                "UVit2DModel",
                {
                    "hidden_size": 16,
                    "cond_embed_dim": 8,
                    "micro_cond_encode_dim": 2,
                    "micro_cond_embed_dim": 10,
                    "encoder_hidden_size": 16,
                    "vocab_size": 32,
                    "codebook_size": 24,
                    "in_channels": 8,
                    "block_out_channels": 8,
                    "num_res_blocks": 1,
                    "block_num_heads": 1,
                    "num_hidden_layers": 1,
                    "num_attention_heads": 2,
                    "intermediate_size": 16,
                    "sample_size": 8,
                },
            ),
            "vqvae": (
                "VQModel",
                {
                    **MOVQ[1],
                    "num_vq_embeddings": 24,
                    "norm_type": "group",
                    "latent_channels": 8,
                    "vq_embed_dim": 8,
                    "lookup_from_codebook": True,
                },
            ),
        },
        ("AmusedScheduler", {"mask_token_id": 31}),
        {"prompt_embeds": (8,), "encoder_hidden_states": (12, 16)},
        call={**SIDE, "output_type": "np"},
    ),
    Case(
        "VQDiffusionPipeline",
        {
            "transformer": ("Transformer2DModel", CODES),
            "vqvae": ("VQModel", {**MOVQ[1], "num_vq_embeddings": 17, "norm_type": "group"}),
        },
        ("VQDiffusionScheduler", {"num_vec_classes": 17}),
        {},
        call={"output_type": "np"},
        parts={"learned_classifier_free_sampling_embeddings": unguided},
    ),
)
