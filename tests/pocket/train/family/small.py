"""The family in miniature: the real recipes with configurations that a CPU trains in seconds."""

from navicache_pocket.train.family import cogvideox, hunyuan, opensora, unet
from navicache_pocket.train.family.recipe import VideoFormat

SIDE = 16
BLOCKS = {"block_out_channels": (8, 8, 8), "norm_num_groups": 4}
TEXT = {"d_model": 16, "d_kv": 8, "d_ff": 16, "num_layers": 1, "num_heads": 2}
CLIP = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}


def over(base, **changes):
    return {**base, **changes}


HUNYUAN = hunyuan.HunyuanRecipe(
    video_format=VideoFormat(9, SIDE),
    vae=over(hunyuan.AUTOENCODER, **BLOCKS),
    transformer=over(
        hunyuan.TRANSFORMER,
        num_attention_heads=2,
        attention_head_dim=12,
        rope_axes_dim=(4, 4, 4),
        num_layers=1,
        num_single_layers=1,
        text_embed_dim=16,
        pooled_projection_dim=16,
    ),
    llama=over(hunyuan.LLAMA, hidden_size=16, intermediate_size=16, num_attention_heads=2, num_hidden_layers=3),
    clip=over(hunyuan.CLIP, **CLIP),
)
OPENSORA = opensora.OpenSoraRecipe(
    video_format=VideoFormat(17, SIDE),
    vae=over(
        opensora.AUTOENCODER,
        vae_2d=over(opensora.AUTOENCODER["vae_2d"], block_out_channels=(8, 8, 8, 8), norm_num_groups=4),
        vae_temporal=over(opensora.AUTOENCODER["vae_temporal"], filters=8, num_groups=4),
    ),
    transformer=over(opensora.TRANSFORMER, depth=1, hidden_size=24, num_heads=2, caption_channels=16),
    text=over(opensora.TEXT_ENCODER, **TEXT),
)
COGVIDEOX = cogvideox.CogVideoXRecipe(
    video_format=VideoFormat(9, SIDE),
    vae=over(cogvideox.AUTOENCODER, **BLOCKS),
    transformer=over(
        cogvideox.TRANSFORMER,
        num_attention_heads=2,
        attention_head_dim=16,
        time_embed_dim=16,
        text_embed_dim=16,
        num_layers=1,
        sample_width=SIDE // 4,
        sample_height=SIDE // 4,
    ),
    text=over(cogvideox.TEXT_ENCODER, **TEXT),
)
UNET = unet.UNetRecipe(
    video_format=VideoFormat(1, SIDE),
    vae=over(unet.AUTOENCODER, **BLOCKS),
    unet=over(
        unet.UNET,
        sample_size=SIDE // 4,
        block_out_channels=(8, 16),
        norm_num_groups=4,
        cross_attention_dim=16,
        attention_head_dim=2,
    ),
    text=over(unet.TEXT_ENCODER, **CLIP),
)
SMALL = {recipe.name: recipe for recipe in (HUNYUAN, OPENSORA, COGVIDEOX, UNET)}
