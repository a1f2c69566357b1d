"""Tiny modular pipelines: the blocks of a class without those that read a prompt or make pixels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from diffusers.modular_pipelines import LoopSequentialPipelineBlocks
from tests.tiny.common import ready

from benchmarks.survey.generic import STEP_COUNTS, STEPS, TinyPipeline
from benchmarks.survey.media import MEDIA

LEFT_OUT = ("text_encoder", "prompt_enhancer", "prompt_upsampler", "prompt_upsample", "duration", "decode")
RESULTS = (
    "latents",
    "audio_latents",
    "sound_latents",
    "latent_chunks",
    "segment_frames",
)  # in the state, when all blocks have run


@dataclass(frozen=True)
class TinyModular(TinyPipeline):
    """A class of modular pipelines with a template and a recipe; prompts are given encoded, and latents come out."""

    def build(self) -> Any:
        """A pipeline with seeded weights."""
        blocks = self.kind().blocks
        for name in (*LEFT_OUT, *self.recipe.without):
            blocks.sub_blocks.pop(name, None)
        pipe = self.kind(blocks=blocks)
        parts, given = {**self.template.parts, **self.recipe.parts}, {}
        for seed, spec in enumerate(blocks.expected_components):
            if spec.default_creation_method == "from_pretrained" or spec.name in parts:
                given[spec.name] = self._build_component(spec.name, (spec.type_hint,), seed)
        given |= {spec.name: parts[spec.name]() for spec in blocks.expected_configs if spec.name in parts}
        pipe.update_components(**{name: part for name, part in given.items() if part is not None})
        for part in list_loops(blocks):
            part.set_progress_bar_config(disable=True)
        return ready(pipe)

    def run(self, pipe: Any, steps: int = STEPS) -> Any:
        """A full run of one sample."""
        known = {each.name: each for each in pipe.blocks.inputs}
        given: dict[str, Any] = {"generator": torch.Generator().manual_seed(0), "output_type": "latent"}
        given |= {**self.template.call, **dict.fromkeys(STEP_COUNTS, steps)}
        given |= {name: make() for name, make in MEDIA.items() if name in known and known[name].required}
        given |= {name: make() for name, make in self.template.media.items()}
        given |= self._build_text()
        given |= {**self.recipe.call, **{name: make() for name, make in self.recipe.media.items()}}
        given |= {name: make(steps) for name, make in self.recipe.by_steps.items()}
        unwanted = given.keys() - known.keys() | set(self.recipe.without)
        state = pipe(**{name: value for name, value in given.items() if name not in unwanted})
        return [state.get(name) for name in RESULTS]

    @property
    def takes_embeddings(self) -> bool:
        """Whether the prompt can be given encoded."""
        return not self.recipe.text


def list_loops(blocks: Any) -> Iterator[LoopSequentialPipelineBlocks]:
    """All blocks that loop over the steps; each has a progress bar."""
    if isinstance(blocks, LoopSequentialPipelineBlocks):
        yield blocks
    for part in getattr(blocks, "sub_blocks", {}).values():
        yield from list_loops(part)


def read_specifications(kind: type) -> Mapping[str, tuple[type, ...]]:
    """The classes that the components of a modular pipeline have."""
    return {spec.name: (spec.type_hint,) for spec in kind().blocks.expected_components}
