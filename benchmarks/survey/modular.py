"""Tiny modular pipelines: the blocks of a class without those that read a prompt or make pixels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from diffusers.modular_pipelines import LoopSequentialPipelineBlocks
from tests.tiny.common import ready

from benchmarks.survey.generic import STEPS, TinyPipeline

LEFT_OUT = ("text_encoder", "prompt_enhancer", "prompt_upsampler", "prompt_upsample", "duration", "decode")
# Of the state, when all blocks have run.
RESULTS = ("latents", "audio_latents", "sound_latents", "latent_chunks", "segment_frames")


@dataclass(frozen=True)
class TinyModular(TinyPipeline):
    """A class of modular pipelines with a template and a recipe; prompts are given encoded, and latents come out."""

    def build(self) -> Any:
        """A pipeline with seeded weights."""
        blocks = choose_blocks(self.kind, self.recipe.without)
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
        known = {each.name for each in pipe.blocks.inputs}
        needed = {each.name for each in pipe.blocks.inputs if each.required}
        state = pipe(**self._build_arguments(steps, known, needed))
        return [state.get(name) for name in RESULTS]

    @property
    def takes_embeddings(self) -> bool:
        """Whether the prompt can be given encoded."""
        return not self.recipe.text


def choose_blocks(kind: type, without: Iterable[str] = ()) -> Any:
    """The blocks of a class but for those that its tiny build has not."""
    blocks = kind().blocks
    for name in (*LEFT_OUT, *without):
        blocks.sub_blocks.pop(name, None)
    return blocks


def list_loops(blocks: Any) -> Iterator[LoopSequentialPipelineBlocks]:
    """All blocks that loop over the steps; each has a progress bar."""
    if isinstance(blocks, LoopSequentialPipelineBlocks):
        yield blocks
    for part in getattr(blocks, "sub_blocks", {}).values():
        yield from list_loops(part)


def read_specifications(kind: type) -> Mapping[str, tuple[type, ...]]:
    """The classes that the components of a modular pipeline have."""
    return {spec.name: (spec.type_hint,) for spec in kind().blocks.expected_components}
