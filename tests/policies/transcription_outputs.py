"""L2P's and MeanCache's rules as plain loops over arrays, written from their description alone."""

from itertools import combinations, pairwise
from typing import Any

import numpy as np


def l2p(outputs: Any, weights: Any, computed: set[int]) -> list[Any]:
    """Every output that was given joins the history, and a row of the square matrix is applied to all of it."""
    history: list[Any] = []
    for i, true in enumerate(outputs):
        history.append(true if i in computed else sum(w * y for w, y in zip(weights[i - 1][:i], history, strict=True)))
    return history


def trained(features: Any, rounds: int = 201, rate: float = 0.01) -> Any:
    """L2P's training on features (runs, steps, elements), with torch's own Adam and its own gradients."""
    import torch

    x = torch.tensor(features, dtype=torch.float64)
    steps = x.shape[1]
    mask = torch.tril(torch.ones(steps, steps, dtype=torch.float64))
    weights = torch.eye(steps, dtype=torch.float64, requires_grad=True)
    adam = torch.optim.Adam([weights], lr=rate)
    for _ in range(rounds):
        made = torch.matmul(weights * mask, x)[:, :-1]
        loss = (made - x[:, 1:]).pow(2).mean()
        adam.zero_grad()
        loss.backward()
        adam.step()
    return weights.detach().numpy()


def meancache(noise: Any, velocity: Any, sigmas: Any, spans: list[int]) -> tuple[list[Any], Any]:
    """The loop of Mc_qwenimage.py under Euler's sampler: a span of 0 computes; velocities, and the last latent."""
    log: list[tuple[Any, float, Any, Any, float]] = []  # latent before, its level, velocity, latent after, its level
    latent = noise
    for i, span in enumerate(spans):
        if span == 0:
            v = velocity(i, latent)
        else:
            count = min(span, len(log))
            first, last = log[len(log) - count], log[-1]
            across = last[4] - first[1]
            average = (last[3] - first[0]) / across
            v = last[2] - (first[2] - average) / across * (sigmas[i + 1] - sigmas[i])
        after = latent + (sigmas[i + 1] - sigmas[i]) * v
        log.append((latent, sigmas[i], v, after, sigmas[i + 1]))
        latent = after
    return [entry[2] for entry in log], latent


def best_path(costs: dict[tuple[int, int], float], steps: int, budget: int, gamma: float) -> float:
    """The least sum over all paths there are, tried one by one."""
    sums = []
    for count in range(min(budget, steps) - 1):
        for between in combinations(range(1, steps - 1), count):
            path = (0, *between, steps - 1)
            edges = pairwise(path)
            sums.append(sum(costs[edge] ** gamma if edge[1] - edge[0] > 1 else 0.0 for edge in edges))
    return min(sums)


def edge_cost(latents: Any, velocities: Any, sigmas: Any, start: int, end: int, span: int) -> float:
    """How far the average velocity across an edge is from the one that was expected, by latents of Euler's sampler."""
    first = start + 1 - span
    back = sigmas[start + 1] - sigmas[first]
    jvp = ((latents[start + 1] - latents[first]) / back - velocities[first]) / back
    ahead = sigmas[end] - sigmas[start]
    return float(np.abs((latents[end] - latents[start]) / ahead - velocities[start] - ahead * jvp).mean())
