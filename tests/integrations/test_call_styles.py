"""Models that are not called like a diffusers transformer, and what comes back from them."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from tests.integrations.toys import KNOBS, ToyModel, drifting
from torch import Tensor, nn

import navicache

STEPS = 12
TIMES = torch.linspace(1000, 80, STEPS)


class Counter(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.calls = 0


class OfficialWan(Counter):
    """Wan's own code: lists of samples of [C, F, H, W], batched timestep, list of texts."""

    def forward(self, x: list[Tensor], t: Tensor, context: list[Tensor], seq_len: int, clip_fea=None, y=None) -> Any:
        self.calls += 1
        assert len(x) == len(context) == len(t)
        return [0.1 * u + 10 * c.mean() for u, c in zip(x, context, strict=True)]


class OfficialHunyuan(Counter):
    """HunyuanVideo's own code: a dict on request."""

    def forward(self, x, t, text_states=None, text_mask=None, text_states_2=None, guidance=None, return_dict=True):
        self.calls += 1
        constant = 10 * text_states.flatten(1).mean(1)
        image = 0.1 * x + constant.view(-1, *[1] * (x.ndim - 1))
        return {"x": image} if return_dict else image


class OnlyArgs(Counter):
    def forward(self, *args: Any) -> Tensor:
        self.calls += 1
        x, _, condition = args
        return 0.1 * x + 10 * condition.mean()


@pytest.mark.parametrize("guided", [False, True])
@pytest.mark.parametrize("recreate", [False, True], ids=["kept", "recreated"])
def test_official_wan(guided: bool, recreate: bool) -> None:
    model = OfficialWan()
    texts = {1: [torch.full((7, 3), 1.0), torch.full((9, 3), 1.0)], 2: [torch.full((4, 3), 2.0)] * 2}
    cache = navicache.enable(model, steps=STEPS, **KNOBS)
    shapes = {(4, 3, 5), (4, 2, 5)}  # two samples of different sizes
    for x, t in zip(drifting(STEPS), TIMES, strict=True):
        for number in (1, 2) if guided else (1,):
            texts_now = [text.clone() for text in texts[number]] if recreate else texts[number]
            output = model([x[0], x[1][:, :2]], t=t.expand(2), context=texts_now, seq_len=8)
            assert type(output) is list
            assert {tuple(sample.shape) for sample in output} == shapes
            assert all(round(sample.mean().item() / 10) == number for sample in output)
    (run,) = cache.trace.runs
    assert (len(run.steps_of(1)), run.total, run.samples) == (STEPS, STEPS, 2)
    assert len(run.streams) == 1 + guided
    assert 0 < model.calls < (1 + guided) * STEPS
    assert run.computed_steps()[-1] == STEPS - 1


@pytest.mark.parametrize("return_dict", [True, False])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_official_hunyuan(return_dict: bool, dtype: torch.dtype) -> None:
    model = OfficialHunyuan()
    text = torch.ones(2, 6, 8, dtype=dtype)
    with navicache.enable(model, threshold=0.05, align_steps=3) as cache:
        for x, t in zip(drifting(STEPS, dtype=dtype), TIMES, strict=True):
            output = model(x, t.expand(2), text_states=text, return_dict=return_dict)
            assert type(output) is (dict if return_dict else Tensor)
            image = output["x"] if return_dict else output
            assert (image.dtype, image.shape) == (dtype, x.shape)
            assert round(image.float().mean().item() / 10) == 1
    assert 3 <= model.calls < STEPS
    assert len(cache.trace.runs[0].steps_of(0)) == STEPS


def test_a_change_of_container_in_mid_run() -> None:
    """What is kept came in another container: it must not come back in that one."""
    model = OfficialHunyuan()
    text = torch.ones(2, 6, 8)
    with navicache.enable(model, threshold=10.0, align_steps=2):
        for step, (x, t) in enumerate(zip(drifting(STEPS), TIMES, strict=True)):
            output = model(x, t.expand(2), text_states=text, return_dict=step % 2 == 0)
            assert type(output) is (dict if step % 2 == 0 else Tensor)


@pytest.mark.parametrize("named", [False, True])
def test_a_plain_function(named: bool) -> None:
    calls: list[float] = []

    def denoiser(x: Tensor, sigma: float) -> Tensor:
        calls.append(sigma)
        return 0.1 * x + 10

    cache = navicache.enable(denoiser, steps=STEPS, **KNOBS)
    for x, t in zip(drifting(STEPS), TIMES.tolist(), strict=True):
        output = cache(x, sigma=t) if named else cache(x, t)
        assert output.shape == x.shape
        assert round(output.mean().item() / 10) == 1
    (run,) = cache.trace.runs
    assert len(run.steps_of(0)) == STEPS
    assert len(calls) == run.computed / run.samples < STEPS
    assert run.steps[-1].time == pytest.approx(80)
    cache.disable()
    assert torch.equal(cache(x, 1.0), denoiser(x, 1.0))
    assert len(cache.trace.runs) == 1


def test_a_model_is_not_called_through_its_handle() -> None:
    cache = navicache.enable(ToyModel(), **KNOBS)
    with pytest.raises(TypeError, match="call the model or its pipeline, not the handle"):
        cache(torch.zeros(1, 4), 1.0)


def test_positional_arguments_only() -> None:
    model = OnlyArgs()
    texts = [torch.full((1, 3), 1.0), torch.full((1, 3), 2.0)]
    cache = navicache.enable(model, **KNOBS)
    for x, t in zip(drifting(STEPS, (1, 4, 6)), TIMES, strict=True):
        for number, text in enumerate(texts, 1):
            assert round(model(x, t.expand(1), text).mean().item() / 10) == number
    assert len(cache.trace.runs) == 1
    assert cache.trace.runs[0].streams == ("0", "1")
    assert 6 <= model.calls < 2 * STEPS


class Shared(Counter):
    """Arguments that belong to the whole call, by the names they have in SD3, Wan VACE and Flux."""

    def forward(
        self, hidden_states, timestep, encoder_hidden_states, skip_layers, control_hidden_states_scale, txt_ids
    ) -> Tensor:
        self.calls += 1
        assert len(hidden_states) == len(timestep) == len(encoder_hidden_states)
        assert skip_layers == [7, 8]
        assert control_hidden_states_scale.tolist() == [1.0, 0.5]
        assert txt_ids.shape == (2, 3)
        return 0.1 * hidden_states + 10


@pytest.mark.parametrize("named", [True, False])
def test_arguments_of_the_whole_call_that_are_as_long_as_the_batch(named: bool) -> None:
    model = Shared()
    cache = navicache.enable(model, **KNOBS)
    pace = torch.tensor([1.0, 4.0]).view(2, 1, 1, 1)  # one slow and one fast sample, so that one of them is run alone
    still = drifting(STEPS)[0]
    shared = {
        "skip_layers": [7, 8],
        "control_hidden_states_scale": torch.tensor([1.0, 0.5]),
        "txt_ids": torch.zeros(2, 3),
    }
    text = torch.ones(2, 6)
    for x, t in zip(drifting(STEPS), TIMES, strict=True):
        latent = still + pace * (x - still)
        rest = () if named else tuple(shared.values())
        output = model(latent, t.expand(2), text, *rest, **(shared if named else {}))
        assert output.shape == latent.shape
    (run,) = cache.trace.runs
    assert run.computed_steps(0) != run.computed_steps(1)
