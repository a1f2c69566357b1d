"""Whole runs of a WanPipeline with random weights: is a cached run as fast as its computed steps allow?"""

from collections.abc import Callable
from typing import Any

import torch
from diffusers import UniPCMultistepScheduler, WanPipeline, WanTransformer3DModel

import navicache
from benchmarks.clock import Clock

WAN_1_3B = {
    "num_attention_heads": 12,
    "attention_head_dim": 128,
    "in_channels": 16,
    "out_channels": 16,
    "text_dim": 4096,
    "freq_dim": 256,
    "ffn_dim": 8960,
    "num_layers": 30,
}
TINY = {**WAN_1_3B, "num_attention_heads": 2, "attention_head_dim": 24, "ffn_dim": 96, "num_layers": 2, "text_dim": 32}


def build(device: str, small: bool, dtype: torch.dtype | None = None, **changes: Any) -> WanPipeline:
    """A pipeline of the real size without text encoder and VAE; embeddings go in, latents come out."""
    torch.manual_seed(0)
    dtype = dtype or (torch.bfloat16 if device == "cuda" else torch.float32)
    with torch.device(device):
        transformer = WanTransformer3DModel(patch_size=(1, 2, 2), **{**(TINY if small else WAN_1_3B), **changes}).eval()
    for name, parameter in transformer.named_parameters():  # as from_pretrained does
        if not any(part in name for part in transformer._keep_in_fp32_modules):
            parameter.data = parameter.data.to(dtype)
    scheduler = UniPCMultistepScheduler(prediction_type="flow_prediction", use_flow_sigmas=True, flow_shift=3.0)
    pipe = WanPipeline(tokenizer=None, text_encoder=None, vae=None, scheduler=scheduler, transformer=transformer)
    pipe.set_progress_bar_config(disable=True)
    return pipe


def generate(pipe: WanPipeline, steps: int, small: bool, **changes: Any) -> torch.Tensor:
    """One guided run, always with the same noise where `changes` say nothing else."""
    device, dtype = pipe.transformer.device, pipe.transformer.dtype
    width = pipe.transformer.config.text_dim
    texts = [torch.randn(1, 512, width, device=device, dtype=dtype, generator=seeded(device, i)) for i in range(2)]
    size = {"height": 96, "width": 128, "num_frames": 9} if small else {"height": 480, "width": 832, "num_frames": 81}
    call = {"num_inference_steps": steps, "guidance_scale": 5.0, "generator": seeded(device, 7), **size, **changes}
    return pipe(prompt_embeds=texts[0], negative_prompt_embeds=texts[1], output_type="latent", **call).frames


def seeded(device: torch.device, seed: int) -> torch.Generator:
    """A generator on the device."""
    return torch.Generator(device).manual_seed(seed)


def whole_runs(device: str, steps: int, small: bool, clock: Clock) -> list[dict[str, Any]]:
    """Time the plain run, then cached ones, and the plain one again to see how steady the machine is."""
    pipe = build(device, small)
    run: Callable[[], Any] = lambda: generate(pipe, steps, small)  # noqa: E731
    generate(pipe, 2, small)  # warm up
    rows = [timed(clock, run, "no cache", steps)]
    # Random weights change faster from step to step than trained ones, so the thresholds are larger too.
    for policy, knobs in (("navicache", {"threshold": 0.25}), ("navicache", {"threshold": 0.6}), ("static", {})):
        with navicache.enable(pipe, policy, **knobs) as cache:
            row = timed(clock, run, f"{policy} {knobs or 'mid'}", steps)
            row["computed"] = cache.trace.runs[-1].computed
        rows.append(row)
    rows.append(timed(clock, run, "no cache, again", steps))
    forward = (rows[0]["seconds"] + rows[-1]["seconds"]) / 2 / steps
    print(f"\n{steps}-step guided WanPipeline, {sum(p.numel() for p in pipe.transformer.parameters()) / 1e9:.2f} B")
    for row in rows:
        row["expected"] = row["computed"] * forward
        row["excess_percent"] = 100 * (row["seconds"] / row["expected"] - 1)
        print(
            f"  {row['what']:<32} computed {row['computed']:>3}  {row['seconds']:8.3f} s  "
            f"steps x forward {row['expected']:8.3f} s  {row['excess_percent']:+.2f} %"
        )
    return rows


def timed(clock: Clock, run: Callable[[], Any], what: str, steps: int) -> dict[str, Any]:
    """One run by the clock."""
    return {"what": what, "seconds": clock.time(run), "computed": steps}
