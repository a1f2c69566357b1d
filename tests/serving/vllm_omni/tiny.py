"""A tiny pipeline of vLLM-Omni's own kind, and a real runner that loads and serves it on the CPU."""

from __future__ import annotations

from typing import Any

import torch
from diffusers import WanTransformer3DModel
from tests.support.pairs import meet
from torch import Tensor, distributed, nn
from vllm.config import VllmConfig, set_current_vllm_config
from vllm_omni.diffusion.data import DiffusionOutput, OmniDiffusionConfig
from vllm_omni.diffusion.distributed.cfg_parallel import CFGParallelMixin
from vllm_omni.diffusion.distributed.parallel_state import init_distributed_environment, initialize_model_parallel
from vllm_omni.diffusion.models.schedulers import FlowUniPCMultistepScheduler
from vllm_omni.diffusion.request import OmniDiffusionRequest
from vllm_omni.diffusion.worker import diffusion_model_runner
from vllm_omni.inputs.data import OmniDiffusionSamplingParams

WAN = {
    "num_attention_heads": 2, "attention_head_dim": 12, "in_channels": 4, "out_channels": 4, "text_dim": 16,
    "freq_dim": 32, "ffn_dim": 32, "num_layers": 2, "rope_max_seq_len": 32,
}  # fmt: skip


class TinyDiT(WanTransformer3DModel):
    """A Wan of random weights. Keeps the times of its calls; waits for other ranks as a collective would."""

    meets: bool = False
    times: list[float]

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        self.times.append(float(kwargs["timestep"][0]))
        if self.meets:
            meet(self.times[-1])
        return super().forward(*args, **kwargs)


class TinyPipeline(nn.Module, CFGParallelMixin):
    """Guidance by vLLM-Omni's own mixin, its own scheduler, one or two experts."""

    def __init__(self, *, od_config: OmniDiffusionConfig, prefix: str = "") -> None:
        super().__init__()
        self.od_config, self.scheduler = od_config, FlowUniPCMultistepScheduler(shift=3.0)
        self.transformer = build(0)
        self.transformer_2 = build(1) if od_config.boundary_ratio else None

    supports_request_batch = True

    def load_weights(self, weights: Any) -> set[str]:
        return {name for name, _ in self.named_parameters()}  # made, not read

    def predict_noise(self, current_model: nn.Module | None = None, **kwargs: Any) -> Tensor:
        return (current_model or self.transformer)(**kwargs)[0]

    def forward(self, batch: Any) -> list[DiffusionOutput]:
        params = batch.requests[0].sampling_params
        latents, prompts = inputs(len(batch.requests), params.seed or 0, **params.extra_args.get("sizes", {}))
        self.scheduler.set_timesteps(params.num_inference_steps or 30)
        for index, time in enumerate(self.scheduler.timesteps):
            late = self.transformer_2 is not None and float(time) < 1000 * self.od_config.boundary_ratio
            about = {
                "current_model": self.transformer_2 if late else self.transformer,
                "hidden_states": latents, "timestep": time.expand(latents.shape[0]), "return_dict": False,
            }  # fmt: skip
            branches = [{**about, "encoder_hidden_states": prompt} for prompt in prompts]
            noise = self.predict_noise_maybe_with_cfg(True, 5.0, *branches, cfg_normalize=False)
            latents = self.scheduler_step_maybe_with_cfg(noise, time, latents, True)
            if index == params.extra_args.get("stop_after"):
                raise RuntimeError("stopped")
        return [DiffusionOutput(output=row) for row in latents.split(1)]


def build(seed: int) -> TinyDiT:
    torch.manual_seed(seed)
    return TinyDiT(**WAN).eval()


def inputs(batch: int, seed: int, cond: float = 1.0, uncond: float = 1.0) -> tuple[Tensor, Tensor]:
    noise = torch.Generator().manual_seed(seed)
    latents, prompts = torch.randn(batch, 4, 3, 8, 8, generator=noise), torch.randn(2, batch, 8, 16, generator=noise)
    return latents, prompts * torch.tensor([cond, uncond]).view(2, 1, 1, 1)


def gather(rank: int = 0, world: int = 1, port: int = 29719, **parallel: int) -> None:
    """The process groups that a worker makes before it loads a model, over gloo."""
    where = f"tcp://127.0.0.1:{port}"
    distributed.init_process_group("gloo", init_method=where, rank=rank, world_size=world)
    with set_current_vllm_config(VllmConfig()):
        init_distributed_environment(world, rank, where, rank, backend="gloo")
        initialize_model_parallel(**parallel, backend="gloo")


def loaded(cache_backend: str = "none", cache_config: Any = None, **config: Any) -> Any:
    """A runner with the pipeline loaded, as a worker does it."""
    od_config = OmniDiffusionConfig(
        model="tiny", model_class_name="TinyPipeline", dtype=torch.float32, enforce_eager=True,
        cache_backend=cache_backend, cache_config=cache_config or {}, **config,
    )  # fmt: skip
    vllm_config = VllmConfig()
    with set_current_vllm_config(vllm_config):
        runner = diffusion_model_runner.DiffusionModelRunner(vllm_config, od_config, torch.device("cpu"))
        runner.load_model(load_format="custom_pipeline", custom_pipeline_name=TinyPipeline)
    return runner


def request(
    runner: Any, steps: int | None = 20, seed: int = 1, requests: int = 1, quality: str | None = None, **extra: Any
) -> tuple[Tensor, int]:
    """The latents of a request, or of a wave of several, and how many calls of the model they took."""
    models = [model for model in (runner.pipeline.transformer, runner.pipeline.transformer_2) if model is not None]
    for model in models:
        model.times = []
    params = OmniDiffusionSamplingParams(num_inference_steps=steps, seed=seed, quality=quality, extra_args=extra)
    wave = [OmniDiffusionRequest(prompt="a boat", sampling_params=params, request_id=str(i)) for i in range(requests)]
    # what execute_model and execute_model_batch come down to, but for the peak memory, which the CPU does not tell
    outputs = runner._execute_request_list(
        wave, od_config=runner.od_config, kv_prefetch_job=None, require_request_batch_support=requests > 1,
        allow_single_output=False, record_name="tiny", record_output_peak_memory=False,
    )  # fmt: skip
    latents = torch.cat([each.result.output for each in outputs.runner_outputs])
    return latents, sum(len(model.times) for model in models)
