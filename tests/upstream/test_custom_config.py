"""The smaller change: `enable_cache` of a copy of diffusers takes a config that brings its own apply, such as ours."""

from __future__ import annotations

import pytest
from tests.upstream.proposal import changed, passed, pytest_on, python_on

OURS = """
from dataclasses import dataclass

import torch
from diffusers import CacheConfig, WanTransformer3DModel

import navicache


@dataclass
class Config(CacheConfig):
    speedup: float = 2.0

    def apply(self, module):
        navicache.enable(module, speedup=self.speedup, steps=20)

    def remove(self, module):
        navicache.disable(module)


small = {"num_attention_heads": 1, "attention_head_dim": 12, "num_layers": 1, "in_channels": 4, "out_channels": 4}
model = WanTransformer3DModel(**small, text_dim=8, freq_dim=8, ffn_dim=8).eval()
calls = []
model.blocks[0].register_forward_pre_hook(lambda *_: calls.append(1))
model.enable_cache(Config())
for step in range(20):
    with torch.no_grad(), model.cache_context("cond", step_index=step):
        model(torch.ones(1, 4, 1, 4, 4) * (1 - step / 20), torch.tensor([1000 - 50 * step]), torch.ones(1, 3, 8))
assert model.is_cache_enabled
model.disable_cache()
assert not model.is_cache_enabled
assert "forward" not in vars(model)
print(len(calls))
"""


@pytest.mark.slow
def test_it_passes_its_own_tests_and_takes_our_cache(tmp_path):
    root = changed(tmp_path, "custom-config")
    assert passed(pytest_on(root, "tests/hooks/test_cache_config.py")) == 5
    done = python_on(root, "-c", OURS)
    assert done.stdout.split() == ["10"], done.stderr[-2000:]
