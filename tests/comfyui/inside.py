"""A real ComfyUI inside this process, for many samplings: the same nodes and samplers, without a server between."""

import hashlib
import importlib.util
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from tests.comfyui.rows import Setting

HERE = Path(__file__).parent
PACK = HERE.parents[1] / "comfyui"
SHAPE = (1, 16, 5, 16, 16)  # 17 frames of 128x128
SHIFT = 3.0
FORMER_PROMPT, FORMER_SETTING = "a small blue cube spinning in front of a blue sky", Setting("euler")

Patch = Callable[[Any], Any]  # a MODEL in, a MODEL out


def start(path: str) -> None:
    """Make ComfyUI's modules importable; it reads its options from the command line."""
    sys.argv = ["main.py", *([] if torch.cuda.is_available() else ["--cpu"])]
    torch.backends.cudnn.allow_tf32 = False  # its patches are cut by a convolution: as exact as on a CPU
    sys.path.insert(0, path)
    import comfy.options

    comfy.options.enable_args_parsing()


def load_nodes(folder: Path) -> ModuleType:
    """A node pack, as ComfyUI imports it: by its folder, under a name of its own."""
    name = f"pack_{folder.name}"
    spec = importlib.util.spec_from_file_location(name, folder / "__init__.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def own_input(executor: Any, x: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
    """Outermost wrapper: a copy of the input, since EasyCache's node adds to it in place.

    In float32 that input is also the sampler's own tensor, and the result would be wrong; with the half precision that
    people use, ComfyUI makes a copy by converting.
    """
    return executor(x.clone(), *args, **kwargs)


class Remembered:
    """Innermost wrapper: what the transformer has answered before, to the bit.

    The runs of a comparison are alike until the first prediction, and the other cache is tried at several thresholds.
    """

    def __init__(self, most: int = 400) -> None:
        self.answers: dict[tuple[bytes, ...], torch.Tensor] = {}
        self.most = most

    def __call__(
        self, executor: Any, x: torch.Tensor, time: torch.Tensor, context: torch.Tensor, *rest: Any, **more: Any
    ) -> Any:
        key = tuple(hashlib.sha256(part.float().contiguous().cpu().numpy()).digest() for part in (x, time, context))
        if key not in self.answers:
            self.answers[key] = executor(x, time, context, *rest, **more)
            if len(self.answers) > self.most:
                del self.answers[next(iter(self.answers))]
        return self.answers[key].clone()


@dataclass
class Studio:
    """The embedded Wan, ready to sample."""

    dtype: torch.dtype = torch.float32
    pack: ModuleType = field(default_factory=lambda: load_nodes(HERE / "nodes"))
    remembered: Remembered = field(default_factory=Remembered)
    shape: tuple[int, ...] = SHAPE
    _former: torch.Tensor | None = None

    def __post_init__(self) -> None:
        from comfy_extras.nodes_model_advanced import ModelSamplingSD3

        self.pocket = self.pack.pocket
        self.model = ModelSamplingSD3().patch(self.pocket.load_model(self.dtype), SHIFT)[0]
        self.negative = [[self.pocket.encode(""), {}]]

    def sample(self, prompt: str, setting: Setting, patch: Patch, seed: int = 0, steps: int = 20) -> tuple[Any, float]:
        """The latents, and how often the transformer ran for each sample."""
        import nodes
        from comfy.patcher_extension import WrappersMP

        model = self.pack.counter.counted(patch(self.model))
        model.add_wrapper_with_key(WrappersMP.DIFFUSION_MODEL, "remembered", self.remembered)
        facts = (seed, steps, setting.cfg, setting.sampler, setting.spacing, [[self.pocket.encode(prompt), {}]])
        latent = {"samples": torch.zeros(self.shape) if setting.denoise == 1 else self._find_former(seed)}
        with torch.inference_mode():
            for part in cut_run(setting, steps):
                latent = nodes.common_ksampler(model, *facts, self.negative, latent, **part)[0]
        return latent["samples"], self.pack.counter.count(model) / (1 if setting.cfg == 1 else 2)

    def _find_former(self, seed: int) -> torch.Tensor:
        """What another prompt has made, for runs that start from a latent."""
        if self._former is None:
            self._former = self.sample(FORMER_PROMPT, FORMER_SETTING, plain, seed + 1)[0]
        return self._former.clone()

    def frames(self, latents: torch.Tensor) -> torch.Tensor:
        """As they would be saved: 8 bits a colour."""
        return (self.pocket.decode(latents) * 255).round().byte()


def cut_run(setting: Setting, steps: int) -> list[dict[str, Any]]:
    """What ComfyUI's samplers are told of the parts of a run.

    Example:
        >>> cut_run(Setting("euler", denoise=0.5), 10)
        [{'denoise': 0.5}]
        >>> [part["start_step"] for part in cut_run(Setting("euler", parts=2), 20)]
        [0, 10]
    """
    if setting.parts == 1:
        return [{"denoise": setting.denoise}]
    bounds = [steps * part // setting.parts for part in range(setting.parts)]
    ends = [*bounds[1:], steps]
    return [
        {"start_step": start, "last_step": end, "disable_noise": start > 0}
        for start, end in zip(bounds, ends, strict=True)
    ]


def plain(model: Any) -> Any:
    """Nothing in between."""
    return model


def easycache(threshold: float, copied: bool = True) -> Patch:
    """ComfyUI's own node at this threshold, everything else as it comes."""
    from comfy.patcher_extension import WrappersMP
    from comfy_extras.nodes_easycache import EasyCacheNode

    def patch(model: Any) -> Any:
        model = model.clone()
        if copied:
            model.add_wrapper_with_key(WrappersMP.DIFFUSION_MODEL, "own input", own_input)
        return EasyCacheNode.execute(model, threshold, 0.15, 0.95, False).args[0]

    return patch


def navicache(speedup: float) -> Patch:
    """Our node, asked for a speed-up."""
    pack = load_nodes(PACK)

    def patch(model: Any) -> Any:
        return pack.NaviCache.execute(model, {"target": "speed-up", "speedup": speedup}, "").args[0]

    return patch
