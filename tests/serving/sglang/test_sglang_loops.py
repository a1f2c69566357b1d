"""SGLang's own stages with loops of their own, on the CPU: their real loops around a small field."""

from __future__ import annotations

import importlib
import inspect
import logging
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from navicache_serving.sglang.all_hooks import build_hooks
from navicache_serving.sglang.helios import HELIOS_STAGE
from navicache_serving.sglang.own_loops import COSMOS_STAGE, H3_STAGE, IDEOGRAM_STAGE

pytestmark = [
    pytest.mark.serving,
    pytest.mark.skipif(find_spec("sglang") is None, reason="SGLang is not installed: make test-serving"),
]
ARGUMENTS = {  # of the methods that are wrapped, as far as the hooks read them
    f"{COSMOS_STAGE}._denoise_once": {"batch"},
    f"{COSMOS_STAGE}._run_transformer": {"latents", "timestep", "cache_key", "current_timestep"},
    f"{H3_STAGE}._run_full_loop": {"batch", "server_args"},
    f"{H3_STAGE}._forward_dit": {"model", "call_kwargs", "step_index", "batch"},
    f"{IDEOGRAM_STAGE}._run_ideogram_transformer": {"current_model", "call_kwargs", "llm_cond_cache", "branch"},
    f"{HELIOS_STAGE}._denoise_one_chunk": {"batch", "scheduler", "prompt_embeds"},
    f"{HELIOS_STAGE}._denoise_one_chunk_stage2": {"batch", "scheduler", "prompt_embeds"},
}


class SmallField(nn.Module):
    """What the loops ask of their models; keeps the times of its calls."""

    patch_size = (1, 2, 2)

    def __init__(self) -> None:
        super().__init__()
        self.calls = list[float]()

    def forward(self, hidden_states: Tensor, timestep: Tensor, **given: Any) -> Tensor:
        self.calls.append(float(timestep.flatten()[0]))
        text = given["text_ids"] if given["encoder_hidden_states"] is None else given["encoder_hidden_states"]
        pull = text.float().mean(dim=tuple(range(1, text.ndim))).view(-1, 1, 1, 1, 1)
        return 0.7 * hidden_states + pull * torch.cos(timestep.float() / 400).view(-1, 1, 1, 1, 1)

    def reset_cache(self) -> None:
        """Cosmos3's text cache."""

    def set_denoising_step(self, step_index: int, num_steps: int) -> None:
        """Cosmos3's choice of a precision."""

    def reset_denoising_step(self) -> None:
        """Cosmos3's choice of a precision."""


@pytest.fixture(scope="module", autouse=True)
def server() -> Any:
    from sglang.multimodal_gen.runtime.platforms.plugins import apply_plugin_hooks
    from tests.serving.sglang import tiny

    args = tiny.server()
    apply_plugin_hooks()
    return args


def find_class(path: str) -> Any:
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)


def request(asked: Any, steps: int = 20) -> Any:
    from tests.serving.sglang import tiny

    batch = tiny.request(steps, asked=asked)
    batch.latents = torch.randn(1, 4, 3, 8, 8, generator=torch.Generator().manual_seed(3))
    return batch


def run_helios(asked: Any, pyramid: bool) -> tuple[Tensor, int]:
    from sglang.multimodal_gen.runtime.models.schedulers.scheduling_helios import HeliosScheduler

    stage, batch = find_class(HELIOS_STAGE)(SmallField(), None), request(asked)
    scheduler, texts = HeliosScheduler(stages=3 if pyramid else 1), torch.tensor([1.0, -1.0]).view(2, 1, 1, 1)
    about: dict[str, Any] = {name: None for name in inspect.signature(stage._denoise_one_chunk).parameters}
    about |= {"latents": batch.latents, "prompt_embeds": texts[0], "negative_prompt_embeds": texts[1]}
    about |= {"guidance_scale": 5.0, "is_cfg_zero_star": False, "use_zero_init": False, "zero_steps": 0}
    about |= {"target_dtype": torch.float32, "device": "cpu", "batch": batch, "scheduler": scheduler}
    about["global_step_offset"] = 0
    if pyramid:
        del about["timesteps"]
        about |= {"pyramid_num_stages": 3, "pyramid_num_inference_steps_list": [20, 20, 20], "is_distilled": False}
        about |= {"is_amplify_first_chunk": False, "gamma": 1 / 3, "latents": batch.latents.repeat(1, 1, 1, 2, 2)}
        torch.manual_seed(5)
        latents, _ = stage._denoise_one_chunk_stage2(**about)
    else:
        scheduler.set_timesteps(20, device="cpu", sigmas=torch.linspace(0.999, 0.0, 21)[:-1].numpy(), mu=1.0)
        latents = stage._denoise_one_chunk(**about | {"timesteps": scheduler.timesteps})
    return latents, len(stage.transformer.calls)


def run_cosmos(asked: Any, server: Any, lengths: tuple[int, int]) -> tuple[Tensor, int]:
    """Text of one length in both branches is one call for both, of two lengths two calls."""
    stage, batch = find_class(COSMOS_STAGE)(SmallField(), None, server), request(asked)
    ids = [sign * torch.ones(1, length, dtype=torch.long) for sign, length in zip((1, -1), lengths, strict=True)]
    for name, text in zip(("cond", "uncond"), ids, strict=True):
        facts = {"text_ids": text, "text_mask": torch.ones_like(text), "text_seq_len": text.shape[1]}
        batch.extra |= {f"{name}_{key}": value for key, value in facts.items()}
    batch.extra["video_shape"], batch.guidance_scale = (3, 8, 8), 2.0
    stage._denoise_once(batch, server)
    return batch.latents, len(stage.transformer.calls)


@pytest.mark.parametrize("target", ARGUMENTS)
def test_the_wrapped_methods_have_the_arguments_that_are_read(target: str) -> None:
    path, _, name = target.rpartition(".")
    assert ARGUMENTS[target] <= inspect.signature(getattr(find_class(path), name)).parameters.keys()


def test_every_hook_finds_its_method() -> None:
    for target in build_hooks(lambda: None, lambda: None):
        path, _, name = target.rpartition(".")
        assert callable(getattr(find_class(path), name))


@pytest.mark.parametrize(("pyramid", "calls"), [(False, 40), (True, 120)])
def test_helios(pyramid: bool, calls: int) -> None:
    exact, all_calls = run_helios(None, pyramid)
    latents, made = run_helios({"speedup": 2.0}, pyramid)
    assert all_calls == calls and made == calls // 2
    assert 0 < (latents - exact).norm() / exact.norm() < 0.1
    off, plain_calls = run_helios({"speedup": 1}, pyramid)
    assert plain_calls == calls and torch.equal(off, exact)


@pytest.mark.parametrize(("lengths", "calls"), [((4, 4), 20), ((4, 6), 40)])
def test_cosmos(server: Any, lengths: tuple[int, int], calls: int) -> None:
    exact, all_calls = run_cosmos(None, server, lengths)
    latents, made = run_cosmos({"speedup": 2.0}, server, lengths)
    assert all_calls == calls and made == calls // 2
    assert 0 < (latents - exact).norm() / exact.norm() < 0.1
    assert torch.equal(run_cosmos(False, server, lengths)[0], exact)


def test_a_pipeline_without_a_known_loop_warns(server: Any, caplog: pytest.LogCaptureFixture) -> None:
    from sglang.multimodal_gen.runtime.pipelines_core.executors.sync_executor import SyncExecutor

    class Executor(SyncExecutor):
        def execute(self, stages: Any, batch: Any, server_args: Any) -> Any:
            return batch

    with caplog.at_level(logging.WARNING, logger="sglang.navicache"):
        Executor(server).execute_with_profiling([SimpleNamespace()], request({"speedup": 2.0}), server)
    assert "nothing was cached" in caplog.text
