"""A real denoising stage of SGLang on the CPU: its server arguments, requests, scheduler, residency; a tiny Wan."""

from __future__ import annotations

import functools
import os
from types import SimpleNamespace
from typing import Any

import torch
from tests.serving.absent import stand_in
from tests.support.pairs import meet
from torch import Tensor, nn

stand_in()

from diffusers import WanTransformer3DModel  # noqa: E402
from sglang.multimodal_gen.configs.pipeline_configs.wan import WanT2V480PConfig  # noqa: E402
from sglang.multimodal_gen.configs.sample.sampling_params import SamplingParams  # noqa: E402
from sglang.multimodal_gen.runtime.distributed import (  # noqa: E402
    maybe_init_distributed_environment_and_model_parallel,
)
from sglang.multimodal_gen.runtime.managers.memory_managers.component_manager import (  # noqa: E402
    ComponentResidencyManager,
)
from sglang.multimodal_gen.runtime.models.schedulers.scheduling_flow_unipc_multistep import (  # noqa: E402
    FlowUniPCMultistepScheduler,
)
from sglang.multimodal_gen.runtime.pipelines_core.schedule_batch import Req  # noqa: E402
from sglang.multimodal_gen.runtime.pipelines_core.stages.denoising import DenoisingStage  # noqa: E402
from sglang.multimodal_gen.runtime.server_args import ServerArgs, set_global_server_args  # noqa: E402

WAN = {
    "num_attention_heads": 2, "attention_head_dim": 12, "in_channels": 4, "out_channels": 4, "text_dim": 16,
    "freq_dim": 32, "ffn_dim": 32, "num_layers": 2, "rope_max_seq_len": 32,
}  # fmt: skip


class TinyDiT(nn.Module):
    """A Wan of random weights, called as SGLang calls one. Its own asks for kernels that no CPU wheel has.

    Keeps the times of its calls; where ranks share it, it waits for them as a collective would.
    """

    def __init__(self, seed: int) -> None:
        super().__init__()
        torch.manual_seed(seed)
        self.wan, self.times, self.meets = WanTransformer3DModel(**WAN), list[float](), False
        self.stop_after: int | None = None  # calls
        self.frames = 0  # of its newest latents

    def forward(self, hidden_states: Tensor, timestep: Tensor, encoder_hidden_states: Any, **kwargs: Any) -> Tensor:
        if len(self.times) == self.stop_after:
            raise RuntimeError("stopped")
        self.times.append(float(timestep.flatten()[0]))
        self.frames = hidden_states.shape[2]
        if self.meets:
            meet(self.times[-1])
        text = encoder_hidden_states[0] if isinstance(encoder_hidden_states, list) else encoder_hidden_states
        return self.wan(hidden_states, timestep, text, return_dict=False)[0]


@functools.cache
def server(port: int = 29761, **parallel: Any) -> ServerArgs:
    """Server arguments, and the process groups that a worker makes."""
    os.environ.update({"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)})
    for name in ("RANK", "LOCAL_RANK"):
        os.environ.setdefault(name, "0")
    world = int(os.environ.setdefault("WORLD_SIZE", "1"))
    config = WanT2V480PConfig()
    config.dit_precision = "fp32"
    args = ServerArgs(model_path="none", pipeline_config=config, num_gpus=world, **parallel)
    set_global_server_args(args)
    maybe_init_distributed_environment_and_model_parallel(
        args.tp_size, args.sp_degree, args.cfg_parallel_degree, args.ulysses_degree, args.ring_degree, args.dp_size
    )
    return args


def stage(args: ServerArgs, experts: int = 1) -> DenoisingStage:
    """The stage as a pipeline of SGLang makes it."""
    first, second = TinyDiT(0).eval(), TinyDiT(1).eval() if experts == 2 else None
    made = DenoisingStage(first, FlowUniPCMultistepScheduler(shift=3.0), transformer_2=second)
    modules = {"transformer": first} | ({"transformer_2": second} if second else {})
    pipeline = SimpleNamespace(modules=modules, component_residency_strategies={}, _stage_name_mapping={})
    made.set_component_residency_manager(ComponentResidencyManager(pipeline, args))
    return made


def request(
    steps: int = 20,
    seed: int = 1,
    batch: int = 1,
    asked: Any = None,
    sizes: tuple[float, float] = (1, 1),
    **settings: Any,
) -> Req:
    """A request as the stages before leave it: latents, timesteps and embeddings are there."""
    scheduler, noise = FlowUniPCMultistepScheduler(shift=3.0), torch.Generator().manual_seed(seed)
    scheduler.set_timesteps(steps)
    params = SamplingParams(prompt="a boat", num_inference_steps=steps, guidance_scale=5.0, **settings)
    if asked is not None:
        params.diffusers_kwargs = {"navicache": asked}
    made = Req(sampling_params=params)
    params.apply_request_extra(made)
    latents = torch.randn(batch, 4, 4, 8, 8, generator=noise)
    latents = torch.cat([latents[:, :, :2] * sizes[0], latents[:, :, 2:] * sizes[1]], 2)
    made.scheduler, made.timesteps, made.generator = scheduler, scheduler.timesteps, [noise]
    made.latents, made.raw_latent_shape = latents, latents.shape
    made.prompt_embeds = [torch.randn(batch, 8, 16, generator=noise)]
    made.negative_prompt_embeds = [torch.randn(batch, 8, 16, generator=noise)]
    made.do_classifier_free_guidance = True
    return made


def served(made: DenoisingStage, batch: Req, args: ServerArgs) -> tuple[Tensor, int]:
    """The latents of a request, and how many calls of the model they took."""
    models = [model for model in (made.transformer, made.transformer_2) if model is not None]
    for model in models:
        model.times = []
    return made(batch, args).latents, sum(len(model.times) for model in models)
