"""What of diffusers is used without a promise of its own: where a release moves one, this says which, and who needs it.

pyproject.toml bounds diffusers above for these; raise the bound when they are all there.
"""

import importlib

import pytest
from diffusers import DiffusionPipeline

NAMES = {
    (
        "diffusers.hooks._helpers",
        "TransformerBlockRegistry",
    ): "integrations/diffusers.py, to know blocks by class",
    ("diffusers.hooks.hooks", "BaseState"): "integrations/diffusers.py, to hear of cache contexts",
    ("diffusers.hooks.hooks", "CacheContext"): "integrations/diffusers.py, the same",
    ("diffusers.hooks.hooks", "StateManager"): "integrations/diffusers.py, the same",
    ("diffusers.hooks.context_parallel", "ContextParallelGatherHook"): "integrations/rank_groups.py, to know the ranks",
    ("diffusers.hooks.context_parallel", "ContextParallelSplitHook"): "integrations/rank_groups.py, the same",
    ("diffusers.models.cache_utils", "CacheMixin"): "integrations/register.py, the methods it extends",
    ("diffusers.models.cache_utils", "CacheMixin.is_cache_enabled"): "integrations/register.py, as it stands",
    (
        "diffusers.pipelines.pixart_alpha.pipeline_pixart_alpha",
        "PixArtAlphaPipeline._clean_caption",
    ): "navicache_opensora/prompts.py",
    ("diffusers.utils.accelerate_utils", "apply_forward_hook"): "navicache_opensora/vae.py, for offload",
    ("diffusers.utils.torch_utils", "randn_tensor"): "navicache_opensora/denoising.py",
    ("diffusers.models.autoencoders.autoencoder_kl_wan", "WanRMS_norm"): "navicache_pocket/train/fast_autoencoder.py",
    ("diffusers.pipelines.hunyuan_video.pipeline_hunyuan_video", "DEFAULT_PROMPT_TEMPLATE"): "navicache_pocket/train",
}


@pytest.mark.parametrize(("module", "name"), NAMES)
def test_it_is_still_there(module, name):
    found = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    assert found is not None, f"diffusers has no {module}.{name} any more; needed by {NAMES[module, name]}"


def test_a_pipeline_knows_where_it_runs():
    assert hasattr(DiffusionPipeline, "_execution_device"), "needed by generation/session.py and navicache_opensora"
