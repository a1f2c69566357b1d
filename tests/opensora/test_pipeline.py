"""The tiny pipeline from end to end."""

from __future__ import annotations

from typing import Any

import numpy as np
import PIL.Image
import pytest
import torch
from tests.opensora.common import SMALL, run, seeded, tiny_pipe, tiny_transformer, worst

from navicache_opensora import OpenSoraPipeline

PIPE = tiny_pipe()


def picture(seed: int = 0, height: int = 60, width: int = 50) -> PIL.Image.Image:
    return PIL.Image.fromarray(np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8))


def test_text_to_video_is_repeatable() -> None:
    video = run(PIPE)
    assert video.shape == (1, 17, 3, 40, 64)
    assert 0 <= video.min() < video.max() <= 1
    assert torch.equal(video, run(PIPE))
    assert not torch.equal(video, run(PIPE, "a boat"))
    assert not torch.equal(video, run(PIPE, generator=seeded(1)))


def test_an_image_is_told_120_frames_a_second() -> None:
    pipe, seen = tiny_pipe(), []
    pipe.transformer.register_forward_pre_hook(lambda _m, _a, kwargs: seen.append(kwargs), with_kwargs=True)
    assert run(pipe, num_frames=1).shape == (1, 1, 3, 40, 64)
    assert seen[0]["fps"].tolist() == [120, 120]
    run(pipe)
    assert seen[-1]["fps"].tolist() == [24, 24]


def test_sizes_by_name_are_the_request_and_the_output_is_whole_latents() -> None:
    pipe, seen = tiny_pipe(), []
    pipe.transformer.register_forward_pre_hook(lambda _m, _a, kwargs: seen.append(kwargs), with_kwargs=True)
    size = {"height": None, "width": None, "resolution": "144p", "aspect_ratio": "9:17", "num_frames": 1}
    assert run(pipe, **size, num_inference_steps=1).shape == (1, 1, 3, 136, 256)
    assert (seen[0]["height"][0].item(), seen[0]["width"][0].item()) == (139, 262)


def test_a_batch_is_its_samples() -> None:
    prompts = ["a cat", "a red red boat"]
    both = run(PIPE, prompts, generator=[seeded(0), seeded(1)])
    for row, prompt in enumerate(prompts):
        assert worst(both[row : row + 1], run(PIPE, prompt, generator=seeded(row))) < 2e-3


def test_several_videos_of_one_prompt() -> None:
    video = run(PIPE, num_videos_per_prompt=2, generator=[seeded(0), seeded(1)])
    assert worst(video[1:], run(PIPE, generator=seeded(1))) < 2e-3


def test_guidance_is_one_call_with_the_null_caption_second() -> None:
    pipe, seen = tiny_pipe(), []
    pipe.transformer.register_forward_pre_hook(lambda _m, _a, kwargs: seen.append(kwargs), with_kwargs=True)
    run(pipe, ["a cat", "a red red boat"], generator=[seeded(0), seeded(1)])
    assert len(seen) == SMALL["num_inference_steps"]
    assert seen[0]["x"].shape[0] == 4 and torch.equal(seen[0]["x"][:2], seen[0]["x"][2:])
    length = seen[0]["y"].shape[2]
    null = pipe.transformer.y_embedder.y_embedding[:length]
    assert all(torch.equal(row[0], null) for row in seen[0]["y"][2:])
    assert torch.equal(seen[0]["mask"][:2], seen[0]["mask"][2:])
    seen.clear()
    run(pipe, guidance_scale=1.0)
    assert seen[0]["x"].shape[0] == 1 and not pipe.do_classifier_free_guidance


def test_an_image_stays_the_first_frame() -> None:
    pipe, kept = tiny_pipe(), []
    run(
        pipe,
        references=[picture()],
        callback_on_step_end=lambda _p, _i, _t, tensors: kept.append(tensors["latents"]) or {},
    )
    assert all(torch.equal(latents[:, :, 0], kept[0][:, :, 0]) for latents in kept)
    assert not torch.equal(kept[0][:, :, 1], kept[1][:, :, 1])
    assert not torch.equal(run(pipe, references=[picture()]), run(pipe))


def test_a_video_is_extended_and_edited() -> None:
    clip = [picture(seed, 40, 64) for seed in range(17)]
    extended = run(PIPE, references=[clip], mask_strategy="0,0,0,0,5", num_frames=34, output_type="latent")
    made = PIPE.vae.encode(as_video(clip), generator=seeded())
    assert torch.equal(extended[:, :, :5], made) and not torch.equal(extended[:, :, 5:], made)
    edited = run(PIPE, references=[clip], mask_strategy="0,0,0,0,5,0.6", output_type="latent")
    assert edited.shape == made.shape and not torch.equal(edited, made)


def as_video(clip: list[PIL.Image.Image]) -> torch.Tensor:
    frames = np.stack([np.asarray(frame) for frame in clip])
    return torch.from_numpy(frames).permute(3, 0, 1, 2)[None] / 255 * 2 - 1


def test_references_of_each_prompt() -> None:
    prompts, seeds = ["a cat", "a boat"], [seeded(0), seeded(1)]
    both = run(PIPE, prompts, references=[[picture(1)], []], mask_strategy=["0", ""], generator=seeds)
    assert worst(both[1:], run(PIPE, "a boat", generator=seeded(1))) < 2e-3
    assert worst(both[:1], run(PIPE, "a cat", references=[picture(1)])) < 2e-3


def test_arrays_and_tensors_are_references_too() -> None:
    image = np.asarray(picture(), dtype=np.float32) / 255
    plain = run(PIPE, references=[picture()])
    assert worst(run(PIPE, references=[image]), plain) < 1e-3
    assert worst(run(PIPE, references=[torch.from_numpy(image).permute(2, 0, 1)]), plain) < 1e-3


def test_a_long_video_goes_on_where_it_was() -> None:
    video = run(PIPE, "|0| a cat |1| a boat", num_frames=34, num_loops=3)
    assert video.shape[1] == 34 + 17 + 17
    assert torch.equal(video[:, :34], run(PIPE, "a cat", num_frames=34))


def test_output_types() -> None:
    floats = run(PIPE, output_type="np")
    assert floats.shape == (1, 17, 40, 64, 3) and isinstance(floats, np.ndarray)
    images = PIPE("a red cat", **SMALL, generator=seeded()).frames
    assert np.array_equal(np.asarray(images[0][3]), (floats[0, 3] * 255 + 0.5).astype(np.uint8))
    assert run(PIPE, output_type="latent").shape == (1, 4, 5, 5, 8)


def test_latents_and_embeddings_can_be_given() -> None:
    latents = torch.randn(1, 4, 5, 5, 8, generator=seeded())
    assert torch.equal(run(PIPE, latents=latents), run(PIPE))
    text = PIPE.encode_prompt(["a red cat aesthetic score: 6.5."])
    given = {"prompt_embeds": text.embeds, "prompt_attention_mask": text.mask}
    assert torch.equal(run(tiny_pipe(text=False), None, **given), run(PIPE))


def test_callbacks_see_and_change_every_step() -> None:
    seen: list[tuple[int, float]] = []

    def callback(pipe: OpenSoraPipeline, step: int, timestep: torch.Tensor, tensors: dict[str, Any]) -> dict[str, Any]:
        seen.append((step, timestep.item()))
        pipe._interrupt = step == 1
        return {"latents": torch.zeros_like(tensors["latents"])}

    assert not run(PIPE, output_type="latent", callback_on_step_end=callback).any()
    assert [step for step, _ in seen] == [0, 1] and seen[0][1] == 1000
    assert PIPE.num_timesteps == 3


def test_bfloat16() -> None:
    pipe = tiny_pipe().to(torch.bfloat16)
    pipe.set_progress_bar_config(disable=True)
    latents = run(pipe, output_type="latent")
    assert latents.dtype == torch.float32 and latents.isfinite().all()
    assert run(pipe).isfinite().all()


def test_model_offload() -> None:
    pipe = tiny_pipe()
    pipe.enable_model_cpu_offload(device="cpu")
    for options in ({}, {"references": [picture()]}):
        assert torch.equal(run(pipe, **options), run(PIPE, **options))


def test_weights_are_used_only_where_sequential_offload_brings_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """As accelerate does it: parameters lie elsewhere but in the forward of the module that owns them."""
    pipe = tiny_pipe(text=False)
    for part in (pipe.transformer, pipe.vae):
        for module in part.modules():
            if module._parameters:
                _keep_away(module)
    monkeypatch.setattr(OpenSoraPipeline, "_execution_device", torch.device("cpu"))
    embeds = torch.randn(1, 6, 32, generator=seeded(5))
    options = {"prompt_embeds": embeds, "references": [picture()]}
    assert torch.equal(run(pipe, None, **options), run(tiny_pipe(text=False), None, **options))


def _keep_away(module: torch.nn.Module) -> None:
    here = dict(module._parameters)
    away = {name: None if value is None else value.to("meta") for name, value in here.items()}
    module._parameters.update(away)
    module.register_forward_pre_hook(lambda module, _args: module._parameters.update(here))
    module.register_forward_hook(lambda module, _args, _output: module._parameters.update(away))


def test_group_offload() -> None:
    pipe = tiny_pipe()
    pipe.enable_group_offload(onload_device=torch.device("cpu"), offload_type="leaf_level")
    assert torch.equal(run(pipe), run(PIPE))


def test_compiled_blocks() -> None:
    pipe = tiny_pipe()
    pipe.transformer.compile_repeated_blocks(fullgraph=True, backend="eager")
    assert worst(run(pipe), run(PIPE)) < 1e-5
    assert type(tiny_transformer().spatial_blocks[0]).__name__ in pipe.transformer._repeated_blocks
