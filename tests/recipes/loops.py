"""How each program calls its model, step after step, written by us around a stand-in."""

from __future__ import annotations

from collections.abc import Callable

import torch
from tests.recipes.stand_ins import noise, times
from torch import Tensor, nn

STEPS = 20
SECTIONS = 2
COND, UNCOND = 1.0, 2.0


def text(value: float) -> Tensor:
    return torch.full((3, 4), value)


def guided(cond: Tensor, uncond: Tensor) -> Tensor:
    return uncond + 5 * (cond - uncond)


def wan(model: nn.Module, seed: int) -> Tensor:
    """Wan 2.1: the list of latents is a new one at every step, the two contexts are made once."""
    return wan_experts(model, model, 1001, seed)


def wan_experts(high: nn.Module, low: nn.Module, boundary: float, seed: int) -> Tensor:
    """Wan 2.2: above the boundary one expert, below it the other."""
    latents = [noise(seed, 4, 3, 6, 8)]
    cond, uncond = [text(COND)], [text(UNCOND)]
    for time in times(STEPS):
        model, t = high if time >= boundary else low, torch.stack([time])
        flow = guided(
            model(latents, t=t, context=cond, seq_len=36)[0], model(latents, t=t, context=uncond, seq_len=36)[0]
        )
        latents = [latents[0] - flow / STEPS]
    return latents[0]


def wan_tokens(model: nn.Module, seed: int) -> Tensor:
    """Wan 2.2 TI2V: a time for every token, zero where the first frame is given."""
    latents, mask = [noise(seed, 4, 3, 6, 8)], torch.ones(36)
    mask[:12] = 0
    for time in times(STEPS):
        t = (mask * time).unsqueeze(0)
        cond, uncond = (model(latents, t=t, context=[text(value)], seq_len=36)[0] for value in (COND, UNCOND))
        latents = [latents[0] - guided(cond, uncond) / STEPS]
    return latents[0]


def hunyuan(model: nn.Module, seed: int) -> Tensor:
    """HunyuanVideo without distilled guidance: the latent twice in one batch, a dictionary back."""
    latents = noise(seed, 1, 4, 3, 6, 8)
    texts, pooled = torch.stack([text(UNCOND), text(COND)]), torch.ones(2, 5)
    for time in times(STEPS):
        both = torch.cat([latents] * 2)
        places = {"freqs_cos": torch.ones(36, 4), "freqs_sin": torch.ones(36, 4), "guidance": None}
        out = model(both, time.repeat(2), text_states=texts, text_states_2=pooled, return_dict=True, **places)["x"]
        uncond, cond = out.chunk(2)
        latents = latents - guided(cond, uncond) / STEPS
    return latents


def hunyuan15(model: nn.Module, seed: int) -> Tensor:
    """HunyuanVideo 1.5: beside the latent stands what it is conditioned on, with a mask; both branches in one batch."""
    latents, cond = noise(seed, 1, 4, 3, 6, 8), torch.zeros(1, 5, 3, 6, 8)
    texts, mask = torch.stack([text(UNCOND), text(COND)]), torch.ones(2, 3)
    for time in times(STEPS):
        both = torch.cat([torch.cat([latents, cond], 1)] * 2)
        about = {"timestep_r": None, "vision_states": None, "guidance": None, "return_dict": False, "extra_kwargs": {}}
        uncond, wanted = model(both, time.repeat(2), texts, None, mask, **about)[0].chunk(2)
        latents = latents - guided(wanted, uncond) / STEPS
    return latents


def framepack(model: nn.Module, seed: int) -> Tensor:
    """FramePack: one section after another, each from noise of the same size, with the last one's latents beside it."""
    past = torch.zeros(1, 4, 3, 6, 8)
    for section in range(SECTIONS):
        latents = noise(10 * seed + section, 1, 4, 3, 6, 8)
        texts = {"encoder_hidden_states": text(COND).unsqueeze(0), "encoder_attention_mask": torch.ones(1, 3)}
        more = {"pooled_projections": torch.ones(1, 5), "guidance": torch.ones(1), "clean_latents": past}
        for time in times(STEPS):
            flow = model(hidden_states=latents, timestep=time.expand(1), return_dict=False, **texts, **more)[0]
            latents = latents - flow / STEPS
        past = latents
    return past


def diffsynth(dit: nn.Module, model_fn: Callable[..., Tensor], seed: int) -> Tensor:
    """DiffSynth-Studio: everything by name, to a function that may be any."""
    latents, models = noise(seed, 1, 4, 3, 6, 8), {"dit": dit, "vace": None}
    for time in times(STEPS):
        shared = {"latents": latents, "timestep": time.unsqueeze(0), "seed": seed}
        cond, uncond = (model_fn(**models, **shared, context=text(value).unsqueeze(0)) for value in (COND, UNCOND))
        latents = latents - guided(cond, uncond) / STEPS
    return latents


def opensora(model: nn.Module, seed: int) -> Tensor:
    """Open-Sora 2.0: text, image alone and nothing in one batch, the image's conditioning made anew at every step."""
    tokens, texts = noise(seed, 1, 36, 16), torch.stack([text(value) for value in (COND, UNCOND, UNCOND + 1)])
    places = {"img_ids": torch.zeros(3, 36, 3), "txt_ids": torch.zeros(3, 3, 3), "y_vec": torch.ones(3, 5)}
    for time in times(STEPS):
        three = torch.cat([tokens] * 3)
        cond = torch.cat([torch.ones(2, 36, 20), torch.zeros(1, 36, 20)])
        out = model(img=three, txt=texts, cond=cond, timesteps=(time / 1000).expand(3), guidance=None, **places)
        one, two, three = out.chunk(3)
        tokens = tokens - (three + 3 * (two - three) + 5 * (one - two)) / STEPS
    return tokens


def kandinsky(dit: Callable[..., tuple[Tensor, Tensor]], seed: int, steps: int = STEPS) -> Tensor:
    """Kandinsky 6: the latents are written in place, so every step hands over the same tensors."""
    video = noise(seed, 1, 3, 6, 8, 4)
    audio = video.reshape(1, -1, 4).clone()
    ropes = {"visual_rope": torch.ones(3, 6, 8, 2), "audio_rope": None, "text_rope": torch.ones(3, 2)}
    for time in times(steps):
        pair = [
            dit(
                x_video=video,
                x_audio=audio,
                text_embed=text(v)[None],
                pooled_text_embed=text(v)[:1],
                time=time.expand(1),
                **ropes,
            )
            for v in (COND, UNCOND)
        ]
        for latent, cond, uncond in zip((video, audio), *pair, strict=True):
            latent -= guided(cond, uncond) / steps
    return video
