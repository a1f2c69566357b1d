# Copyright 2026 HuggingFace Inc.
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.

from dataclasses import dataclass

import pytest
import torch

from diffusers import CacheConfig, CacheMixin, FirstBlockCacheConfig, HookRegistry, ModelMixin
from diffusers.hooks import ModelHook


class DummyTransformer(ModelMixin, CacheMixin):
    def forward(self, hidden_states):
        return hidden_states


class AddHook(ModelHook):
    def __init__(self, amount):
        super().__init__()
        self.amount = amount

    def post_forward(self, module, output):
        return output + self.amount


@dataclass
class AddConfig(CacheConfig):
    amount: float = 1.0

    def apply(self, module):
        if self.amount == 0:
            raise ValueError("`amount` must not be 0.")
        HookRegistry.check_if_exists_or_initialize(module).register_hook(AddHook(self.amount), "add")

    def remove(self, module):
        HookRegistry.check_if_exists_or_initialize(module).remove_hook("add", recurse=False)


def test_cache_config_is_applied_and_removed():
    model = DummyTransformer()
    model.enable_cache(AddConfig(amount=2.0))
    assert model.is_cache_enabled
    assert model(torch.ones(1)).item() == 3.0

    model.disable_cache()
    assert not model.is_cache_enabled
    assert model(torch.ones(1)).item() == 1.0


def test_cache_config_that_fails_is_not_enabled():
    model = DummyTransformer()
    with pytest.raises(ValueError, match="amount"):
        model.enable_cache(AddConfig(amount=0))
    assert not model.is_cache_enabled


def test_cache_config_is_one_cache_among_others():
    model = DummyTransformer()
    model.enable_cache(AddConfig())
    for config in (AddConfig(), FirstBlockCacheConfig()):
        with pytest.raises(ValueError, match="already been enabled"):
            model.enable_cache(config)


def test_cache_config_must_say_how_it_is_removed():
    class Incomplete(CacheConfig):
        def apply(self, module):
            pass

    with pytest.raises(TypeError, match="remove"):
        Incomplete()


def test_unknown_config_is_still_refused():
    with pytest.raises(ValueError, match="is not supported"):
        DummyTransformer().enable_cache({"amount": 1.0})
