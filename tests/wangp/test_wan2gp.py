"""WanGP's own transformer and plugin manager on the CPU, from a checkout: as far as they go without CUDA."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from tests.recipes.hosts import VARIABLE, checkout, load, opened
from torch import Tensor, nn
from wangp.cached_model import CachedModel

pytestmark = [pytest.mark.recipes, pytest.mark.filterwarnings("ignore")]
STEPS = 20
SIZES = {
    "in_dim": 4, "out_dim": 4, "dim": 128, "ffn_dim": 32, "freq_dim": 16, "text_dim": 6, "text_len": 3, "num_heads": 1,
    "num_layers": 1,
}  # fmt: skip
TRANSFORMS = (".transforms", ".transforms.functional", ".transforms.v2", ".transforms.v2.functional")
TORCHVISION = ("", ".models", ".ops", *TRANSFORMS)
ABSENT = (  # of models that are not made here
    *("soundfile", "smplfitter", "smplfitter.pt", "cv2", "onnxruntime", "rembg", "ffmpeg"),
    *(f"torchvision{part}" for part in TORCHVISION),
)
AUDIO = ("mmaudio", "mmaudio.audio_processor", "seedvc", "seedvc.audio_processor")
PROCESSORS = (*AUDIO, "rife", "rife.temporal_upsampler")
UI = (  # of the plugin manager; no page is made
    *("gradio", "gradio.components", "git", "requests", "postprocessing"),
    *(f"postprocessing.{name}" for name in PROCESSORS),
)


@pytest.fixture
def wan2gp(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The checkout, with `site_wan2gp` beside it for mmgp and what that imports."""
    root = checkout("wan2gp")
    monkeypatch.setattr(sys, "path", [*sys.path, str(Path(os.environ[VARIABLE]) / "site_wan2gp")])
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda *_: (8, 0))  # asked when attention is imported
    with opened(root, "models.wan", "models.wan.modules"):
        yield root


def transformer() -> Any:
    """One block of random weights; attention in their `sdpa`."""
    code = load("models.wan.modules.model", *ABSENT)
    code.offload.shared_state["_attention"] = "sdpa"
    torch.manual_seed(0)
    made = code.WanModel(**SIZES).eval()
    for weight in made.parameters():
        if not weight.any():
            nn.init.normal_(weight, std=0.1)
    for part in [part for part in made.modules() if "modulation" in dict(part.named_parameters(recurse=False))]:
        weight = part.modulation  # mmgp makes modules of such parameters when it loads a model
        del part.modulation
        part.modulation = nn.Module()
        part.modulation.weight = weight
    return made


class Pipeline:
    """A loop that calls the transformer as theirs does, without joint pass and with it."""

    def __init__(self, model: Any) -> None:
        self.model, self._interrupt = model, False
        posemb = load("models.wan.modules.posemb_layers")
        self.freqs = posemb.get_rotary_pos_embed((3, 6, 8))

    @torch.no_grad()
    def generate(self, sampling_steps: int, joint_pass: bool, seed: int) -> Tensor:
        latents = torch.randn(1, 4, 3, 6, 8, generator=torch.Generator().manual_seed(seed))
        context = [torch.full((1, 3, 6), 1.0), torch.full((1, 3, 6), -1.0)]
        for index, time in enumerate(torch.linspace(1000, 1000 / sampling_steps, sampling_steps)):
            about = {"t": torch.stack([time]), "freqs": self.freqs, "pipeline": self, "callback": None}
            about |= {"current_step_no": index, "real_step_no": index, "max_steps": sampling_steps}
            if joint_pass:
                made = self.model(x=[latents, latents], context=context, **about)
            else:
                made = [self.model(x=[latents], context=[context[at]], x_id=at, **about)[0] for at in range(2)]
            latents = latents - (made[1] + 5 * (made[0] - made[1])) / sampling_steps
        return latents


@pytest.mark.parametrize("joint", [True, False], ids=["one call", "two calls"])
@pytest.mark.usefixtures("wan2gp")
def test_their_transformer(joint: bool) -> None:
    pipeline, said, settings = Pipeline(transformer()), list[str](), {"speedup": 2.0}
    call = {"sampling_steps": STEPS, "joint_pass": joint}
    plain, calls = pipeline.generate(**call, seed=0), list[int]()
    pipeline.model.blocks[0].register_forward_pre_hook(lambda *_: calls.append(1))
    CachedModel(pipeline, lambda: settings or None, said.append)
    first, other, again = (pipeline.generate(**call, seed=seed) for seed in (0, 1, 0))
    assert len(calls) == 3 * STEPS // 2 * 2 and said[0].startswith("inertial on WanModel: computed 10 of 20")
    assert torch.equal(first, again) and not torch.equal(first, other) and not torch.equal(first, plain)
    assert (first - plain).norm() < 0.1 * plain.norm()
    settings.clear()
    assert torch.equal(pipeline.generate(**call, seed=0), plain)
    assert "forward" not in vars(pipeline.model)


def test_their_plugin_manager_loads_the_extension(
    wan2gp: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plugins = load("shared.utils.plugins", *UI)
    folder = Path(__file__).parents[2] / "wangp"
    (tmp_path / "wan2gp-navicache").symlink_to(folder, target_is_directory=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "gradio", plugins.gr)
    manager, wgp = plugins.PluginManager(str(tmp_path)), {"load_models": lambda: (SimpleNamespace(generate=len), None)}
    manager.load_plugins_from_directory(["wan2gp-navicache"])
    plugin = manager.plugins["wan2gp-navicache"]
    assert plugin.type == ["extension"] and plugin.name == "NaviCache"
    manager.inject_globals({**wgp, "wan_model": None, "set_wgp_global": wgp.__setitem__})
    manager.run_component_insertion_and_setup({})
    model, _ = wgp["load_models"]()
    assert model.generate([1, 2]) == 2 and vars(model)["generate"].__wrapped__ is len
    assert manager.run_data_hooks("before_metadata_save", configs={"seed": 1}, plugin_data={}, model_type="x") == {
        "seed": 1
    }
