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

import pytest
import torch

from diffusers import CacheMixin, ModelMixin, NaviCacheConfig, apply_navi_cache


class DummyTransformer(ModelMixin, CacheMixin):
    """Answers with a constant plus its latents times a gain, so that every number below is mental arithmetic."""

    def __init__(self, gain: float = 2.0):
        super().__init__()
        self.gain = gain
        self.offset = {"cond": 100.0, "uncond": 200.0}
        self.calls = []

    def forward(self, hidden_states, prompt="cond", return_dict=True):
        self.calls.append(prompt)
        return (self.gain * hidden_states[:, :1] + self.offset[prompt],)


class TwoOutputTransformer(ModelMixin):
    def forward(self, hidden_states, return_dict=True):
        return hidden_states, hidden_states


class UnusualTransformer(ModelMixin):
    def forward(self, x):
        return (x,)


def _latents(value, channels=1):
    return torch.full((1, channels, 2, 2), float(value))


def _run(model, values, **context):
    """One call per value, as a pipeline without guidance makes them; returns the outputs as numbers."""
    outputs = []
    for index, value in enumerate(values):
        with model.cache_context("cond", step_index=index, num_inference_steps=len(values), **context):
            outputs.append(model(_latents(value), return_dict=False)[0].mean().item())
    return outputs


@pytest.mark.parametrize(
    "kwargs",
    [{"threshold": -0.1}, {"num_alignment_steps": 0}, {"process_noise": -1.0}, {"initial_variance": -1.0}],
)
def test_navi_cache_validation(kwargs):
    with pytest.raises(ValueError, match=next(iter(kwargs))):
        NaviCacheConfig(**kwargs)


def test_navi_cache_reuses_the_residual():
    model = DummyTransformer()
    model.enable_cache(NaviCacheConfig(threshold=1.0, num_alignment_steps=2))
    # Steps 0 and 1 compute 120 and 118; step 2 reuses: 8 + (118 - 9) = 117 instead of 116; step 3 is the last.
    assert _run(model, [10, 9, 8, 7]) == [120.0, 118.0, 117.0, 114.0]
    assert len(model.calls) == 3


def test_navi_cache_threshold():
    # The ratio is 2 throughout, so a step by 1 predicts a relative change of 2 / 118 = 0.017 at step 2.
    for threshold, calls in [(0.016, 6), (0.018, 4), (0.035, 4), (0.06, 3)]:
        model = DummyTransformer()
        model.enable_cache(NaviCacheConfig(threshold=threshold, num_alignment_steps=2))
        _run(model, [10, 9, 8, 7, 6, 5])
        assert len(model.calls) == calls, threshold


def test_navi_cache_filters_the_ratio():
    model = DummyTransformer()
    config = NaviCacheConfig(threshold=0.0, num_alignment_steps=2, process_noise=0.5, measurement_noise=0.5)
    apply_navi_cache(model, config)
    shared_state = model._diffusers_hook.get_hook("navi_cache").shared_state
    for index, (value, gain, ratio, variance) in enumerate(
        [
            (10, 2.0, None, 0.0),
            (9, 2.0, 2.0, 1.0),  # alignment: the newest ratio, the initial variance
            (8, 0.0, 2 + 0.75 * (18 - 2), 0.375),  # from 118 to 100 is a ratio of 18; the gain is 1.5 / 2
        ]
    ):
        model.gain = gain
        with model.cache_context("cond", step_index=index, num_inference_steps=10):
            model(_latents(value))
        assert shared_state.ratio == pytest.approx(ratio)
        assert shared_state.variance == pytest.approx(variance)


def test_navi_cache_guidance_follows_the_first_context():
    model = DummyTransformer()
    model.enable_cache(NaviCacheConfig(threshold=1.0, num_alignment_steps=2))
    outputs = []
    for index, value in enumerate([10, 9, 8, 7]):
        for name in ("cond", "uncond"):
            with model.cache_context(name, step_index=index, num_inference_steps=4):
                outputs.append(model(_latents(value), name, return_dict=False)[0].mean().item())
    assert outputs == [120.0, 220.0, 118.0, 218.0, 117.0, 217.0, 114.0, 214.0]
    assert model.calls == ["cond", "uncond"] * 3


def test_navi_cache_context_that_joins_late_is_computed():
    model = DummyTransformer()
    model.enable_cache(NaviCacheConfig(threshold=1.0, num_alignment_steps=2))
    for index, value in enumerate([10, 9, 8, 7]):
        for name in ("cond", "uncond")[: 1 if index < 2 else 2]:
            with model.cache_context(name, step_index=index, num_inference_steps=5):
                model(_latents(value), name)
    assert model.calls == ["cond", "cond", "uncond"]


@pytest.mark.parametrize("told", [True, False])
def test_navi_cache_starts_anew_with_a_run(told):
    model = DummyTransformer()
    model.enable_cache(NaviCacheConfig(threshold=1.0, num_alignment_steps=2, num_inference_steps=4))
    for _ in range(2):
        for index, value in enumerate([10, 9, 8, 7]):
            with model.cache_context("cond", step_index=index if told else None):
                model(_latents(value))
    assert len(model.calls) == 6


def test_navi_cache_starts_anew_after_an_interrupted_run_of_another_size():
    model = DummyTransformer()
    model.enable_cache(NaviCacheConfig(threshold=1.0, num_alignment_steps=2))
    for latents in (_latents(10), _latents(9), torch.ones(1, 1, 4, 4)):
        model(latents)
    assert len(model.calls) == 3


def test_navi_cache_leaves_conditioning_channels_alone():
    model = DummyTransformer()
    model.enable_cache(NaviCacheConfig(threshold=1.0, num_alignment_steps=2))
    for index, value in enumerate([10, 9, 8]):
        latents = torch.cat([_latents(value), _latents(1000 * index, channels=3)], dim=1)
        output = model(latents, return_dict=False)[0]
    assert output.shape == (1, 1, 2, 2)
    assert output.mean().item() == 117.0


def test_navi_cache_is_removed():
    model = DummyTransformer()
    model.enable_cache(NaviCacheConfig(threshold=1.0, num_alignment_steps=2))
    model.disable_cache()
    assert not model.is_cache_enabled
    assert _run(model, [10, 9, 8, 7]) == [120.0, 118.0, 116.0, 114.0]


def test_navi_cache_unsupported_models():
    with pytest.raises(ValueError, match="hidden_states"):
        apply_navi_cache(UnusualTransformer(), NaviCacheConfig())
    model = TwoOutputTransformer()
    apply_navi_cache(model, NaviCacheConfig())
    with pytest.raises(ValueError, match="one output"):
        model(_latents(1))
