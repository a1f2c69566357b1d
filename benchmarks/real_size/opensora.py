"""Open-Sora 1.2 at its real size with random weights: a forward, and whole runs against their computed steps.

    python -m benchmarks.real_size.opensora --device cuda                             # 480p and 720p, 51 and 102 frames
    python -m benchmarks.real_size.opensora --device cpu --small --sizes "144p, 51"    # to try the script

A run with N computed steps should take N forwards and the parts that always run (embeddings and last layer). A plain
run never waits for the device, so the host works ahead of it and its time is hidden; a cached run decides once a step.
Steps are therefore timed both ways: queued, and waited for one by one. Every policy has run at a small size before, as
the first use of a kernel loads it.
"""

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import torch

import navicache
from benchmarks.clock import Clock
from benchmarks.json_file import save_json
from benchmarks.real_size.wan import seeded
from navicache_opensora import AutoencoderOpenSora, OpenSoraPipeline, RectifiedFlowScheduler, STDiT3Transformer

SIZES = {f"{height}, {frames}": (height, frames) for height in ("480p", "720p") for frames in (51, 102)}
TRIAL = {"144p, 51": ("144p", 51)}  # to try the script
SMALL = {"depth": 2, "hidden_size": 48, "num_heads": 4, "caption_channels": 32}
TOKENS, WARM_STEPS, WAITED = 300, 12, 5
POLICIES: dict[str, dict[str, Any]] = {
    "navicache blocks": {"site": "blocks", "threshold": 1e3, "longest_reuse": 1},  # then every other step
    "inertial blocks": {"site": "blocks", "speedup": 2.0},
    "inertial model": {"site": "model", "speedup": 2.0},
}


def build(device: str, small: bool, **changes: Any) -> OpenSoraPipeline:
    """A pipeline without text encoder; its VAE has shapes but no weights, as latents are not decoded."""
    torch.manual_seed(0)
    dtype = torch.bfloat16 if device == "cuda" else torch.float32
    with torch.device(device):
        transformer = STDiT3Transformer(**{**(SMALL if small else {}), **changes}).eval().to(device, dtype)
    for parameter in transformer.parameters():  # fresh weights leave some layers at zero
        parameter.data = torch.randn_like(parameter) * 0.02
    with torch.device("meta"):
        vae = AutoencoderOpenSora()
    scheduler = RectifiedFlowScheduler()
    pipe = OpenSoraPipeline(text_encoder=None, tokenizer=None, vae=vae, transformer=transformer, scheduler=scheduler)
    pipe.set_progress_bar_config(disable=True)
    return pipe


def generate(pipe: OpenSoraPipeline, resolution: str, frames: int, steps: int, **more: Any) -> torch.Tensor:
    """One guided run from embeddings to latents, always with the same noise."""
    model: Any = pipe.transformer
    device, width = model.device, model.config.caption_channels
    text = torch.randn(1, TOKENS, width, device=device, dtype=model.dtype, generator=seeded(device, 1))
    return pipe(
        prompt_embeds=text,
        prompt_attention_mask=torch.ones(1, TOKENS, dtype=torch.long, device=device),
        resolution=resolution,
        num_frames=frames,
        num_inference_steps=steps,
        generator=seeded(device, 7),
        output_type="latent",
        **more,
    ).frames


def cached(pipe: OpenSoraPipeline, policy: str, align: int) -> navicache.Cache:
    """One of the policies on the pipeline."""
    return navicache.enable(pipe, policy.split()[0], align_steps=align, **POLICIES[policy])


def warm_up(pipe: OpenSoraPipeline, options: argparse.Namespace) -> None:
    """Use whatever the measured runs use, at a small size."""
    for policy in options.policies:
        with cached(pipe, policy, options.align):
            generate(pipe, "144p", 51, WARM_STEPS)


def measure(pipe: OpenSoraPipeline, name: str, options: argparse.Namespace) -> list[dict[str, Any]]:
    """Plain, with each policy, and plain again."""
    size, steps, clock = {**SIZES, **TRIAL}[name], options.steps, Clock(options.device)
    generate(pipe, *size, 1)  # memory of this size
    run: Callable[[], Any] = lambda: generate(pipe, *size, steps)  # noqa: E731
    rows = [{"size": name, "what": "no cache", "computed": steps, "seconds": clock.time(run)}]
    for policy in options.policies:
        with cached(pipe, policy, options.align) as cache:
            rows.append({"size": name, "what": policy, "seconds": clock.time(run)})
            rows[-1]["computed"] = cache.trace.runs[-1].computed
            if options.split:
                rows[-1] |= split(step_times(pipe, size, steps, clock), cache.trace.runs[-1])
    rows.append({"size": name, "what": "no cache, again", "computed": steps, "seconds": clock.time(run)})
    queued = (rows[0]["seconds"] + rows[-1]["seconds"]) / 2 / steps
    alone = statistics.median(step_times(pipe, size, WAITED, clock))
    compare(rows, steps, queued, alone, always(pipe, size, clock))
    return rows


def split(laps: Sequence[float], run: navicache.RunRecord) -> dict[str, float]:
    """What a computed and what a reused step of a cached run took."""
    computed = {step.index for step in run.leading if step.computed}
    chosen = [[lap for index, lap in enumerate(laps) if (index in computed) == kind] for kind in (True, False)]
    return {"computed_step": statistics.median(chosen[0]), "reused_step": statistics.median(chosen[1])}


def compare(rows: list[dict[str, Any]], steps: int, queued: float, alone: float, outer: float) -> None:
    """What each run should have taken, by steps that were queued and by steps that were waited for."""
    print(f"{rows[0]['size']}: a step {queued:.4f} s queued, {alone:.4f} s waited for; outer parts {outer:.4f} s")
    for row in rows:
        rest = (steps - row["computed"]) * outer
        row |= {"step": queued, "step_waited_for": alone, "outer": outer}
        for key, step in (("queued", queued), ("waited_for", alone)):
            row[f"excess_{key}_percent"] = 100 * (row["seconds"] / (row["computed"] * step + rest) - 1)
        print(
            f"  {row['what']:<20} {row['computed']:>3} computed {row['seconds']:8.3f} s; above its computed steps and "
            f"outer parts: {row['excess_queued_percent']:+.2f} % queued, {row['excess_waited_for_percent']:+.2f} % "
            "waited for",
            flush=True,
        )
        if "reused_step" in row:
            print(f"    waited for: computed {row['computed_step']:.4f} s, reused {row['reused_step']:.4f} s a step")


def step_times(pipe: OpenSoraPipeline, size: tuple[str, int], steps: int, clock: Clock) -> list[float]:
    """Seconds of each step when the host waits for it, as it must to decide."""
    ends = []

    def wait(_: Any, __: int, ___: Any, tensors: dict[str, Any]) -> dict[str, Any]:
        clock.drain()
        ends.append(time.perf_counter())
        return tensors

    clock.drain()
    start = time.perf_counter()
    generate(pipe, *size, steps, callback_on_step_end=wait)
    return [end - begin for begin, end in pairwise([start, *ends])]


def always(pipe: OpenSoraPipeline, size: tuple[str, int], clock: Clock) -> float:
    """Seconds a step of what runs at every step, by running the model without its blocks."""
    model: Any = pipe.transformer
    lists = model.spatial_blocks, model.temporal_blocks
    model.spatial_blocks, model.temporal_blocks = torch.nn.ModuleList(), torch.nn.ModuleList()
    try:
        return statistics.median(clock.time(lambda: generate(pipe, *size, 10)) for _ in range(3)) / 10
    finally:
        model.spatial_blocks, model.temporal_blocks = lists


def main(arguments: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """All sizes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--small", action="store_true", help="two narrow layers")
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--sizes", nargs="+", choices=[*SIZES, *TRIAL], default=[*SIZES])
    parser.add_argument("--policies", nargs="+", choices=POLICIES, default=[*POLICIES])
    parser.add_argument("--align", type=int, default=5, help="steps that are computed first")
    parser.add_argument("--split", action="store_true", help="time computed and reused steps of cached runs one by one")
    parser.add_argument("--out", type=Path, help="write the rows as JSON")
    options = parser.parse_args(arguments)
    pipe = build(options.device, options.small)
    card = torch.cuda.get_device_name() if options.device == "cuda" else "CPU"
    print(f"{card}, {sum(p.numel() for p in pipe.transformer.parameters()):,} parameters")
    rows = []
    with torch.no_grad():
        warm_up(pipe, options)
        for name in options.sizes:
            rows += [{"device": card, **row} for row in measure(pipe, name, options)]
            if options.out:
                save_json(options.out, rows)
    return rows


if __name__ == "__main__":
    main()
