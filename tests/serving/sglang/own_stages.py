"""Stand-ins for SGLang's stages with loops of their own: the methods that are hooked, as they are called.

Written from the interface alone; test_sglang_loops.py runs SGLang's own where it is installed.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import torch
from tests.serving.sglang.standin import Field, Req, Stage, start
from torch import Tensor

TEXT_TOKENS = 3


class Counted(Field):
    """A field that is called by name, as these stages call their models."""

    patch_size = (1, 2, 2)

    def forward(self, hidden_states: Tensor, timestep: Tensor, pull: float = 1.0, **named: Tensor) -> Tensor:
        self.calls.append(float(timestep[0]))
        return self.rate * hidden_states + pull * torch.cos(timestep[0] / 400)


class CosmosStage:
    """Video with sound; each branch in a call of its own."""

    def __init__(self) -> None:
        self.transformer, self.scheduler = Counted(), None

    def __call__(self, batch: Req) -> Tensor:
        batch.timesteps, batch.latents = torch.linspace(1000, 40, batch.steps), start(batch)
        return self._denoise_once(batch, None, generator=None)

    def _denoise_once(self, batch: Req, server_args: Any, generator: Any = None) -> Tensor:
        video, sound = batch.latents, batch.latents[:, :1, :, 0, 0]
        for index, time in enumerate(batch.timesteps):
            given = {"latents": video, "timestep": time[None], "sound_latents": sound, "current_timestep": index}
            parts = [self._run_transformer(**given, text_ids=sign, cache_key=key) for key, sign in SIGNS.items()]
            for part in parts:
                part[1][..., 1:] = 0.0  # the loop writes into what it gets
            video = video - (2 * parts[0][0] - parts[1][0]) / batch.steps
            sound = sound - parts[0][1] / batch.steps
        return video

    def _run_transformer(
        self, latents: Tensor, timestep: Tensor, text_ids: Any, sound_latents: Any = None, **kwargs: Any
    ) -> Any:
        made = self.transformer(hidden_states=latents, timestep=timestep, pull=text_ids)
        return made, self.transformer.rate * sound_latents


SIGNS = {"cond": 1.0, "uncond": -1.0}


class H3Stage:
    """Video and sound in one sequence of tokens, in a buffer that each step writes again."""

    def __init__(self) -> None:
        self.transformer, self.rows = Counted(), torch.arange(2, 8)

    def __call__(self, batch: Req) -> Tensor:
        batch.extra["minimax_h3_sigmas"] = {"video": torch.linspace(1, 0, batch.steps + 1).tolist()}
        return self._run_full_loop(batch, None)

    def _run_full_loop(self, batch: Req, server_args: Any) -> Tensor:
        x, sigmas = torch.zeros(1, 8, 5), batch.extra["minimax_h3_sigmas"]["video"]
        rows = torch.randn(6, 5, generator=torch.Generator().manual_seed(3))
        for index in range(batch.steps):
            x[0, self.rows] = rows
            given = {"x": x, "img_pos_for_infer_output_info": {"position_ids": self.rows}}
            video, sound = self._forward_dit(self.transformer, given, index, batch=batch)
            rows = rows - video.mul_(sigmas[index] - sigmas[index + 1])  # in place
            assert sound.shape == (4, 2)
        return rows

    def _forward_dit(self, model: Any, call_kwargs: dict[str, Any], step_index: int, *, batch: Req) -> Any:
        video = model(hidden_states=call_kwargs["x"][0, self.rows], timestep=torch.tensor([float(step_index)]))
        return video, torch.ones(4, 2)


class IdeogramStage(Stage):
    """A model for each branch; the tokens of the text stand before those of the image."""

    def __init__(self) -> None:
        super().__init__(Counted(), Counted(0.6))

    def __call__(self, batch: Req) -> Tensor:
        batch.extra["ideogram4"] = {"max_text_tokens": TEXT_TOKENS}
        image = torch.randn(1, 6, 4, generator=torch.Generator().manual_seed(3))
        ctx = SimpleNamespace(timesteps=torch.linspace(1000, 40, batch.steps), latents=image)
        return self._run_denoising_loop(ctx, batch, None)

    def _run_denoising_loop(self, ctx: Any, batch: Req, server_args: Any) -> Tensor:
        image = ctx.latents
        for index, time in enumerate(ctx.timesteps):
            with self.forward_context(SimpleNamespace(current_timestep=index, forward_batch=batch)):
                given = {"x": torch.cat([torch.zeros(1, TEXT_TOKENS, 4), image], 1), "t": time[None]}
                out = self._run_ideogram_transformer(self.transformer, given, {}, "positive")
                positive = out[:, TEXT_TOKENS:]
                given = {"x": image, "t": time[None]}
                negative = self._run_ideogram_transformer(self.transformer_2, given, {}, "negative")
            image = image - (2 * positive - negative) / batch.steps
        return image

    def _run_ideogram_transformer(
        self, current_model: Any, call_kwargs: dict[str, Any], llm_cond_cache: dict[str, Any], branch: str
    ) -> Tensor:
        return current_model(hidden_states=call_kwargs["x"], timestep=call_kwargs["t"])


class HeliosStage:
    """Two chunks of one size each, or of two sizes each; the second chunk starts from other noise."""

    def __init__(self, pyramid: bool = False) -> None:
        self.transformer = self.model = Counted()
        self.pyramid = pyramid

    def __call__(self, batch: Req) -> Tensor:
        scheduler, text = SimpleNamespace(timesteps=None), [torch.ones(1), -torch.ones(1)]
        chunk = self._denoise_one_chunk_stage2 if self.pyramid else self._denoise_one_chunk
        about = {"prompt_embeds": text[0], "negative_prompt_embeds": text[1], "scheduler": scheduler, "batch": batch}
        return torch.stack([chunk(latents=start(batch) * (1 + k), **about) for k in range(2)])

    def _denoise_one_chunk(self, latents: Tensor, *, batch: Req, scheduler: Any, **kwargs: Any) -> Tensor:
        scheduler.timesteps = torch.linspace(1000, 40, batch.steps)
        for time in scheduler.timesteps:
            texts = [kwargs["prompt_embeds"], kwargs["negative_prompt_embeds"]]
            parts = [
                self.transformer(
                    hidden_states=latents, timestep=time[None], encoder_hidden_states=text, pull=float(text[0])
                )
                for text in texts
            ]
            latents = latents - (2 * parts[0] - parts[1]) / batch.steps
            if len(self.model.calls) == batch.stop_after:
                raise RuntimeError("stopped")
        return latents

    def _denoise_one_chunk_stage2(self, latents: Tensor, **kwargs: Any) -> Tensor:
        small = HeliosStage._denoise_one_chunk(self, latents[..., ::2, ::2], **kwargs)
        assert self.transformer.patch_size == (1, 2, 2)
        large = latents + small.repeat_interleave(2, -1).repeat_interleave(2, -2)
        return HeliosStage._denoise_one_chunk(self, large, **kwargs)
