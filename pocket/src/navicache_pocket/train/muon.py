"""Muon that updates all matrices of one shape together: torch's own launches thousands of small kernels per step."""

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import nn

NEWTON_SCHULZ_COEFFICIENTS = (3.4445, -4.7750, 2.0315)
NEWTON_SCHULZ_ROUNDS = 5


class Muon(torch.optim.Optimizer):
    """torch's Muon (Nesterov, rates as for AdamW), in a few large GPU kernels, and for convolutions too.

    A convolution's kernel is flattened to a matrix with one row per output channel. The learning rate is a tensor, so
    that a step can be captured as a CUDA graph.
    """

    def __init__(
        self, weights: Sequence[torch.Tensor], learning_rate: float, weight_decay: float = 0.01, momentum: float = 0.95
    ) -> None:
        """For weights of two dimensions or more."""
        own = torch.tensor(learning_rate, device=weights[0].device)
        super().__init__(weights, {"lr": own, "weight_decay": weight_decay, "momentum": momentum})

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> None:
        """One update of every weight that has a gradient."""
        for group in self.param_groups:
            weights_by_shape: dict[torch.Size, list[torch.Tensor]] = defaultdict(list)
            for weight in group["params"]:
                if weight.grad is not None:
                    weights_by_shape[weight.shape].append(weight)
            for weights in weights_by_shape.values():
                self._update_weights(weights, group["lr"], group["weight_decay"], group["momentum"])

    def _update_weights(self, weights: list[torch.Tensor], rate: torch.Tensor, decay: float, momentum: float) -> None:
        slopes: list[torch.Tensor] = [weight.grad for weight in weights if weight.grad is not None]
        for weight in weights:
            if not self.state[weight]:
                self.state[weight]["momentum_buffer"] = torch.zeros_like(weight)
        buffers: list[torch.Tensor] = [self.state[weight]["momentum_buffer"] for weight in weights]
        torch._foreach_lerp_(buffers, slopes, 1 - momentum)
        matrices = torch.stack(torch._foreach_lerp(slopes, buffers, momentum)).flatten(2)
        turned = orthogonalise(matrices).to(weights[0].dtype) * (rate * 0.2 * math.sqrt(max(matrices.shape[1:])))
        torch._foreach_mul_(weights, 1 - rate * decay)
        torch._foreach_sub_(weights, [*turned.reshape(-1, *weights[0].shape).unbind()])


def make_optimizers(
    model: nn.Module,
    muon_weights: Sequence[torch.Tensor],
    learning_rate: float,
    muon_learning_rate: float,
    adam_beta2: float,
    weight_decay: float,
) -> dict[str, torch.optim.Optimizer]:
    """Muon, at its own rate, for these weights of a model, and AdamW for the rest."""
    known = {id(weight) for weight in muon_weights}
    rest = [weight for weight in model.parameters() if id(weight) not in known]
    graph = {"fused": True, "capturable": True} if rest[0].is_cuda else {}
    first = torch.tensor(learning_rate, device=rest[0].device)
    adam = torch.optim.AdamW(rest, lr=first, betas=(0.9, adam_beta2), weight_decay=weight_decay, **graph)
    return {"adam": adam, "muon": Muon(muon_weights, muon_learning_rate, weight_decay)}


def orthogonalise(matrices: torch.Tensor) -> torch.Tensor:
    """An approximation of the closest orthogonal matrix to each, by Newton-Schulz rounds; on a GPU in bfloat16."""
    first, second, third = NEWTON_SCHULZ_COEFFICIENTS
    tall = matrices.shape[1] > matrices.shape[2]
    dtype = torch.bfloat16 if matrices.is_cuda else torch.float32  # not every CPU has bfloat16, and then it is slow
    now = matrices.mT if tall else matrices
    now = (now / now.norm(dim=(1, 2), keepdim=True).clamp(min=1e-7)).to(dtype)  # the norm is not rounded to bfloat16
    for _ in range(NEWTON_SCHULZ_ROUNDS):
        gram = now @ now.mT
        now = torch.baddbmm(now, torch.baddbmm(gram, gram, gram, beta=second, alpha=third), now, beta=first)
    return now.mT if tall else now
