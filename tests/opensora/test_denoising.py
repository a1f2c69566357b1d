"""Six guided steps against the published sampler, and frames that are given."""

from __future__ import annotations

from unittest import mock

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.opensora.common import seeded, table, tensors, tiny_transformer, worst

from navicache_opensora import RectifiedFlowScheduler, denoising
from navicache_opensora.conditioning import ActiveFrames
from navicache_opensora.inputs import VideoSpec
from navicache_opensora.text import TextEmbeds

CONFIG = table("rflow_sample_config")
MODEL = tiny_transformer()


def sample(case: dict[str, torch.Tensor], ratios: torch.Tensor | None, noises: list[torch.Tensor]) -> torch.Tensor:
    video = VideoSpec(CONFIG["height"], CONFIG["width"], CONFIG["num_frames"], CONFIG["fps"])
    scheduler = RectifiedFlowScheduler()
    size = {"height": video.height, "width": video.width, "num_frames": video.num_frames}
    scheduler.set_timesteps(CONFIG["num_sampling_steps"], **size)
    text = TextEmbeds(case["in.y"].squeeze(1), case["in.text_mask"])
    denoiser = denoising.build_denoiser(MODEL, text, video, CONFIG["guidance_scale"], torch.device("cpu"))
    sampler = denoising.FlowSampler(denoiser, scheduler, [None] * len(case["in.z"]))
    latents, frames = case["in.z"], None if ratios is None else ActiveFrames.at_start(ratios)
    for index, time in enumerate(scheduler.timesteps.tolist()):
        with mock.patch.object(denoising, "draw_noise", lambda *_, index=index: noises[index]):
            latents, frames = sampler.take_step(index, latents, frames, time)
    return latents


def test_text_to_video() -> None:
    case = tensors("rflow_sample_t2v")
    assert worst(sample(case, None, []), case["out"]) < 1e-4


def test_text_to_video_with_a_mask_of_ones() -> None:
    case = tensors("rflow_sample_t2v_ones_mask")
    assert worst(sample(case, case["in.mask"], list(case["in.step_noise"])), case["out"]) < 1e-4


def transcribed(case: dict[str, torch.Tensor], mask: torch.Tensor, noises: list[torch.Tensor]) -> torch.Tensor:
    """Section 3.1 of the specification, line by line."""
    scheduler = RectifiedFlowScheduler()
    scheduler.set_timesteps(6, height=480, width=854, num_frames=51)
    times = scheduler.timesteps
    y = torch.cat([case["in.y"], MODEL.y_embedder.y_embedding[None, None]])
    sizes = {name: torch.tensor([float(CONFIG[name])]) for name in ("fps", "height", "width")}
    z, added = case["in.z"], mask == 1
    wide = lambda frames: frames[:, None, :, None, None]  # noqa: E731
    for i, t in enumerate(times):
        x0, up = z, 1000 * mask >= t
        tau = t / 1000
        z = torch.where(wide(up & ~added), (1 - tau) * x0 + tau * noises[i], x0)
        added = up
        out = MODEL(torch.cat([z, z]), t.expand(2), y, case["in.text_mask"], up.repeat(2, 1), **sizes).sample[:, :4]
        c, u = out.chunk(2)
        after = times[i + 1] if i < 5 else 0.0
        z = torch.where(wide(up), z + (u + 7.0 * (c - u)) * (t - after) / 1000, x0)
    return z


@settings(max_examples=6, deadline=None)
@given(st.lists(st.sampled_from([0.0, 0.4, 0.8, 0.95, 1.0]), min_size=5, max_size=5))
def test_given_frames_follow_the_specification(ratios: list[float]) -> None:
    case = tensors("rflow_sample_t2v_ones_mask")
    mask, noises = torch.tensor([ratios]), list(case["in.step_noise"])
    found = sample(case, mask, noises)
    assert worst(found, transcribed(case, mask, noises)) < 1e-4
    kept = mask[0] == 0
    assert torch.equal(found[:, :, kept], case["in.z"][:, :, kept])


def test_without_guidance_one_branch_is_called() -> None:
    case = tensors("rflow_sample_t2v")
    text = TextEmbeds(case["in.y"].squeeze(1), case["in.text_mask"])
    alone = denoising.build_denoiser(MODEL, text, VideoSpec(48, 64, 17, 24), 1.0, torch.device("cpu"))
    assert alone.num_branches == 1 and len(alone.inputs["y"]) == 1


def test_text_is_trimmed_to_the_longest_prompt() -> None:
    mask = torch.tensor([[1, 1, 0, 0, 0], [1, 1, 1, 0, 0]])
    text = TextEmbeds(torch.randn(2, 5, 32, generator=seeded()), mask).trim_padding()
    assert text.embeds.shape == (2, 3, 32) and text.mask.tolist() == [[1, 1, 0], [1, 1, 1]]


@pytest.mark.parametrize(
    ("model", "sizes"),
    [(torch.bfloat16, torch.bfloat16), (torch.float16, torch.float32), (torch.float32, torch.float32)],
)
def test_sizes_are_rounded_as_the_official_pipelines_do(model: torch.dtype, sizes: torch.dtype) -> None:
    assert denoising.choose_size_dtype(model) == sizes
