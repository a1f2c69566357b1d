"""Pipelines to time decisions on: the paper's models at real size with one block, and any model that can be loaded."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import torch
from torch import nn

from benchmarks.real_size import opensora, wan, whole_runs
from navicache.generation.job import ModelSource
from navicache.generation.loading import load_pipeline
from navicache.models import find_preset
from navicache.models.catalog import find_model_by_name
from navicache.pocket import calibration_path
from navicache.pocket.prompts import PROMPTS

HUNYUAN_SIZE = {"height": 544, "width": 960, "num_frames": 129}
RIVALS = ("teacache", "magcache", "easycache", "navicache")  # of the paper's table
IDLE = ("attn", "attn1", "attn2", "cross_attn", "ffn", "ff", "ff_context", "mlp")  # children of a block


class DecisionSubject(NamedTuple):
    """A pipeline, one run of it of so many steps, and what is known of it."""

    pipe: Any
    run: Callable[[int], Any]
    size: str
    calibrations: Mapping[str, str] = MappingProxyType({})  # files by policy
    published: str = ""  # the library's name of the model whose published knobs are used; else by the pipeline
    source: ModelSource | None = None  # of a model that can be calibrated


class PassThrough(nn.Module):
    """In the place of an attention or a feed-forward: no part of a decision, and most of the work of a step."""

    def forward(self, *given: Any, **named: Any) -> Any:
        """Return what it was handed: the tokens, and of HunyuanVideo's attention the text too."""
        if "encoder_hidden_states" in named and "hidden_states" in named:
            return named["hidden_states"], named["encoder_hidden_states"]
        return next(value for value in (*given, *named.values()) if isinstance(value, torch.Tensor))


def idle_blocks(pipe: Any, *lists: str) -> Any:
    """The pipeline with blocks that only normalise, modulate and add."""
    for name in lists:
        for block in getattr(pipe.transformer, name):
            for part in set(IDLE) & {child for child, _ in block.named_children()}:
                setattr(block, part, PassThrough())
    return pipe


def open_wan(device: str, small: bool) -> DecisionSubject:
    """Wan 2.1-1.3B at 81 frames of 832x480: a latent of 16x21x60x104, guidance in two calls."""
    pipe = idle_blocks(wan.build(device, small, num_layers=1), "blocks")
    return DecisionSubject(
        pipe, lambda steps: wan.generate(pipe, steps, small), "81 frames of 832x480", published="Wan 2.1 T2V-1.3B"
    )


def open_hunyuan(device: str, small: bool) -> DecisionSubject:
    """HunyuanVideo at 129 frames of 960x544: a latent of 16x33x68x120, one call a step."""
    found = whole_runs.open_hunyuan(device, small, size=HUNYUAN_SIZE, num_layers=1, num_single_layers=0)
    idle_blocks(found.pipe, "transformer_blocks")
    return DecisionSubject(found.pipe, found.run, "129 frames of 960x544", published="HunyuanVideo")


def open_opensora(device: str, small: bool) -> DecisionSubject:
    """Open-Sora 1.2 at 51 frames of 854x480, guidance as a batch of two."""
    pipe = idle_blocks(opensora.build(device, small, depth=1), "spatial_blocks", "temporal_blocks")
    size = ("144p" if small else "480p", 51)
    return DecisionSubject(
        pipe, lambda steps: opensora.generate(pipe, *size, steps), "51 frames of 854x480", published="Open-Sora 1.2"
    )


REAL_SIZE: dict[str, Callable[[str, bool], DecisionSubject]] = {
    "Wan 2.1-1.3B": open_wan,
    "HunyuanVideo": open_hunyuan,
    "Open-Sora 1.2": open_opensora,
}


def open_loaded(model: str, device: str) -> DecisionSubject:
    """A model of `navicache generate`: an embedded one, a folder or a hub id, with the arguments of its own call."""
    source = ModelSource(model, "float32" if model.startswith("pocket") else "auto", device)
    pipe, member = load_pipeline(source), source.member
    pipe.set_progress_bar_config(disable=True)
    call = {} if member is None else {name: v for name, v in member.call.items() if name != "num_inference_steps"}
    known = {} if member is None else find_calibrations(member.name)

    def run(steps: int) -> Any:
        generator = torch.Generator().manual_seed(0)
        return pipe(prompt=PROMPTS[0], num_inference_steps=steps, generator=generator, output_type="latent", **call)

    return DecisionSubject(pipe, run, describe_size(call), known, source=source)


def find_published_knobs(subject: DecisionSubject, policy: str) -> dict[str, Any]:
    """The knobs that are published for the whole model, which one of a single block is not known as."""
    if not subject.published or policy not in RIVALS:
        return {}
    return dict(find_preset(find_model_by_name(subject.published), policy, "mid").knobs)


def find_calibrations(member: str) -> dict[str, str]:
    """The packaged files of the methods that need one."""
    return {method: str(calibration_path(method, member)) for method in ("teacache", "magcache")}


def describe_size(call: dict[str, Any]) -> str:
    """Frames and pixels of a call.

    Example:
        >>> describe_size({"num_frames": 9, "width": 64, "height": 32})
        '9 frames of 64x32'
    """
    if "width" not in call:
        return "as the pipeline has it"
    return f"{call.get('num_frames', 1)} frames of {call['width']}x{call['height']}"


def open_subject(model: str, device: str, small: bool) -> DecisionSubject:
    """A model by its name; `small` is a tiny one of the same kind, to try the script."""
    if model not in REAL_SIZE:
        return open_loaded(model, device)
    found = REAL_SIZE[model](device, small)
    return found._replace(size="tiny") if small else found
