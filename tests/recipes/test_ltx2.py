"""LTX-2: the page's lines on stand-ins, and on the official code's loop, denoiser, adapter and transformer."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import torch
from tests.recipes.hosts import checkout, load, opened
from torch import Tensor, nn

STEPS = 20
PAGE = Path(__file__).parents[2] / "docs" / "recipes" / "ltx-2.md"
LOOP = "ltx_pipelines.utils.samplers"


def read_recipe() -> Any:
    """The classes that the page adds, as it has them."""
    (block,) = (part.split("```")[0] for part in PAGE.read_text(encoding="utf-8").split("```diff\n")[1:])
    added = "\n".join(line[1:] for line in block.splitlines() if line.startswith("+"))
    names: dict[str, Any] = {}
    exec(compile(added.split("pipeline.stage =")[0], str(PAGE), "exec"), names)
    return SimpleNamespace(**names)


class Stage:
    """As theirs, with a transformer that is there already: hands the loop all it needs, by name."""

    fps = 24

    def __init__(self, transformer: Any, denoiser: Any, state: Callable[[int], Any], loop: Any) -> None:
        self.transformer, self.denoiser, self.state, self.loop = transformer, denoiser, state, loop

    def __call__(self, seed: int, *, loop: Any = None) -> Tensor:
        video, audio = self.state(seed)
        with torch.no_grad():
            video, _ = (loop or self.loop)(
                sigmas=torch.linspace(1.0, 0.0, STEPS + 1), video_state=video, audio_state=audio,
                stepper=SimpleNamespace(step=euler_step), transformer=self.transformer, denoiser=self.denoiser,
            )  # fmt: skip
        return video.latent


def euler_step(latent: Tensor, denoised: Tensor, sigmas: Tensor, index: int) -> Tensor:
    return latent + (latent - denoised) / sigmas[index] * (sigmas[index + 1] - sigmas[index])


def assert_halves(stage: Stage, count_calls: Callable[[], int], capsys: Any, near: float) -> None:
    """Half of the steps, runs do not mix, attributes of the stage are there, and off is as never on."""
    recipe, plain = read_recipe(), stage(0)
    cached, before = recipe.CachedStage(stage, speedup=2.0), count_calls()
    first, other, again = (cached(seed) for seed in (0, 1, 0))
    assert count_calls() - before == 3 * STEPS // 2
    assert capsys.readouterr().out.count("computed 10 of 20 steps") == 3
    assert torch.equal(first, again) and not torch.equal(first, other) and not torch.equal(first, plain)
    assert (first - plain).norm() < near * plain.norm()
    assert cached.fps == stage.fps and torch.equal(cached.stage(0), plain)


@dataclass(frozen=True)
class Modality:
    """As theirs, as far as it is read."""

    latent: Tensor
    sigma: Tensor
    context: Tensor


class Transformer:
    """Two passes of guidance in one batch; denoised video and sound."""

    num_blocks, calls = 1, 0

    def __call__(self, video: Modality, audio: Modality, perturbations: Any) -> tuple[Tensor, Tensor]:
        self.calls += 1
        pull = video.context.mean((1, 2), keepdim=True)
        return 0.3 * video.latent + pull * video.sigma.view(-1, 1, 1).cos(), 0.5 * audio.latent


def plain_loop(
    *, sigmas: Tensor, video_state: Any, audio_state: Any, stepper: Any, transformer: Any, denoiser: Any
) -> Any:
    for index in range(len(sigmas) - 1):
        made = denoiser(transformer, video_state, audio_state, sigmas, index)
        video_state, audio_state = (
            SimpleNamespace(latent=stepper.step(state.latent, x0, sigmas, index))
            for state, x0 in zip((video_state, audio_state), made, strict=True)
        )
    return video_state, audio_state


def guide(transformer: Any, video: Any, audio: Any, sigmas: Tensor, index: int) -> list[Tensor]:
    context = torch.tensor([1.0, -1.0]).view(2, 1, 1).expand(2, 3, 6)
    both = [Modality(state.latent.repeat(2, 1, 1), sigmas[index].expand(2), context) for state in (video, audio)]
    made = transformer(video=both[0], audio=both[1], perturbations=None)
    return [uncond + 3 * (cond - uncond) for cond, uncond in (each.chunk(2) for each in made)]


def test_the_page_on_stand_ins(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    samplers = ModuleType(LOOP)
    vars(samplers)["euler_denoising_loop"] = plain_loop
    for name in ("ltx_pipelines", "ltx_pipelines.utils"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, LOOP, samplers)
    transformer = Transformer()

    def state(seed: int) -> list[Any]:
        noise = torch.Generator().manual_seed(seed)
        return [SimpleNamespace(latent=torch.randn(1, size, 8, generator=noise)) for size in (12, 4)]

    assert_halves(Stage(transformer, guide, state, plain_loop), lambda: transformer.calls, capsys, 0.05)


def make_transformer() -> Any:
    """Their model with one block of random weights, as their stage wraps it."""
    code = load("ltx_core.model.transformer.model")
    heads = {"num_attention_heads": 2, "attention_head_dim": 12, "audio_num_attention_heads": 2}
    sizes = {"in_channels": 8, "out_channels": 8, "audio_in_channels": 8, "audio_out_channels": 8}
    widths = {"cross_attention_dim": 24, "audio_cross_attention_dim": 24, "audio_attention_head_dim": 12}
    torch.manual_seed(0)
    model = code.LTXModel(num_layers=1, **heads, **sizes, **widths).eval()
    for weight in model.parameters():
        nn.init.normal_(weight, std=0.1)
    return load("ltx_core.batch_split").BatchSplitAdapter(code.X0Model(model), max_batch_size=4)


def make_denoiser() -> Any:
    """Text guidance and perturbed guidance, for video and sound."""
    guiders, texts = load("ltx_core.components.guiders"), torch.Generator().manual_seed(5)
    params = guiders.MultiModalGuiderParams(cfg_scale=2.0, stg_scale=0.5, stg_blocks=[0], modality_scale=1.0)
    positive, negative = torch.randn(2, 1, 3, 24, generator=texts)
    guider = guiders.MultiModalGuider(params=params, negative_context=negative)
    return load("ltx_pipelines.utils.denoisers").GuidedDenoiser(positive, positive, guider, guider)


def make_state(seed: int) -> list[Any]:
    kind, noise = load("ltx_core.types").LatentState, torch.Generator().manual_seed(seed)
    states = []
    for axes, tokens in ((3, 12), (1, 4)):
        latent = torch.randn(1, tokens, 8, generator=noise)
        starts = torch.arange(tokens, dtype=torch.float32).view(1, 1, tokens).expand(1, axes, tokens)
        positions = torch.stack([starts, starts + 1], -1)
        mask = torch.ones(1, tokens, 1)
        states.append(
            kind(latent=latent, denoise_mask=mask, positions=positions, clean_latent=torch.zeros_like(latent))
        )
    return states


@pytest.mark.recipes
@pytest.mark.filterwarnings("ignore")
def test_the_page_on_their_code(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    root = checkout("ltx2", "packages")
    monkeypatch.syspath_prepend(str(root / "ltx-core" / "src"))
    with opened(root / "ltx-pipelines" / "src", "ltx_pipelines.utils"):
        loop = load(LOOP, "torchaudio", "OpenImageIO").euler_denoising_loop
        transformer, calls = make_transformer(), list[int]()
        block = transformer._model.velocity_model.transformer_blocks[0]
        block.register_forward_pre_hook(lambda *_: calls.append(1))
        assert_halves(Stage(transformer, make_denoiser(), make_state, loop), lambda: len(calls), capsys, 0.2)
