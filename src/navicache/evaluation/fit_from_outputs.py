"""Fit calibrations to the outputs of all steps: L2P's weights and MeanCache's edge costs."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

FloatArray = np.ndarray[Any, np.dtype[np.float64]]

# predictor/train.py of L2P-Cache (3df73ce4): torch's Adam, starting from weights that hold the newest output
TRAINING_ROUNDS, LEARNING_RATE, ADAM_BETAS, ADAM_EPSILON = 201, 0.01, (0.9, 0.999), 1e-8
LONGEST_SPAN = 6  # largest K of MeanCache's official paths


def compute_gram_matrix(outputs_by_step: Sequence[Tensor]) -> FloatArray:
    """Mean products of the outputs of every two steps: all that a least-squares fit needs."""
    outputs = torch.stack(list(outputs_by_step))
    products = (outputs @ outputs.T) / outputs.shape[1]
    return products.double().cpu().numpy()


def fit_l2p_weights(
    gram_matrices: Sequence[FloatArray],
) -> tuple[dict[str, Any], dict[str, float], list[tuple[int, float, float]]]:
    """Fit L2P's weights (arXiv:2604.26365) of the earlier outputs, for every step, with the official training.

    The gradient of the mean squared error needs only the Gram matrix, so the training is exact and fast. Returns the
    knobs, how well they fit, and for each step the relative error of holding and of predicting one step ahead.
    """
    if len({len(each) for each in gram_matrices}) != 1 or len(gram_matrices[0]) < 2:
        raise ValueError("the runs had different numbers of steps, or one step: calibrate with one number, 2 or more")
    mean = np.mean(gram_matrices, axis=0)
    held = np.eye(len(mean) - 1)
    weights = _train_l2p_weights(mean)
    errors: list[tuple[int, float, float]] = []
    for step in range(1, len(mean)):
        kept, fitted = (_compute_prediction_error(mean, rows[step - 1], step) for rows in (held, weights))
        errors.append((step, kept, fitted))
    knobs = {"weights": tuple(round(float(w), 6) for i, row in enumerate(weights) for w in row[: i + 1])}
    _, before, after = np.mean(errors, axis=0)
    return knobs, {"held": float(before), "error": float(after), "runs": float(len(gram_matrices))}, errors


def _train_l2p_weights(gram_matrix: FloatArray) -> FloatArray:
    """Run 201 rounds of Adam on all rows at once; row i predicts step i + 1 from steps 0 to i."""
    past, ahead = gram_matrix[:-1, :-1], gram_matrix[1:, :-1]
    rows = len(past)
    seen, weights = np.tril(np.ones((rows, rows))), np.eye(rows)
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    for done in range(1, TRAINING_ROUNDS + 1):
        gradient = 2 * (weights @ past - ahead) * seen / rows
        first = ADAM_BETAS[0] * first + (1 - ADAM_BETAS[0]) * gradient
        second = ADAM_BETAS[1] * second + (1 - ADAM_BETAS[1]) * gradient**2
        size = np.sqrt(second / (1 - ADAM_BETAS[1] ** done)) + ADAM_EPSILON
        weights = weights - LEARNING_RATE * first / (1 - ADAM_BETAS[0] ** done) / size
    return weights


def _compute_prediction_error(gram_matrix: FloatArray, weights: FloatArray, step: int) -> float:
    """Relative root mean square error of predicting a step with these weights."""
    known = np.append(-weights[:step], 1.0)
    left = float(known @ gram_matrix[: step + 1, : step + 1] @ known)
    return float(np.sqrt(max(left, 0.0) / gram_matrix[step, step]))


def compute_meancache_errors(outputs_by_step: Sequence[Tensor], sigmas: Sequence[float]) -> FloatArray:
    """Compute MeanCache's C_K (policies/meancache.py) of every edge as [K - 1, from, to]; inf if K is too large."""
    outputs, steps = torch.stack(list(outputs_by_step)), len(outputs_by_step)
    levels = torch.tensor(sigmas, dtype=outputs.dtype, device=outputs.device)
    ways = torch.cat([torch.zeros_like(outputs[:1]), (outputs * levels.diff()[:, None]).cumsum(0)])  # 0 to each level
    errors = np.full((LONGEST_SPAN, steps, steps), np.inf)
    for start in range(steps - 1):
        ahead = (levels[start + 1 : steps] - levels[start])[:, None]
        missed = (ways[start + 1 : steps] - ways[start]) / ahead - outputs[start]
        for span in range(1, min(LONGEST_SPAN, start + 1) + 1):
            first = start + 1 - span
            back = levels[start + 1] - levels[first]
            slope = ((ways[start + 1] - ways[first]) / back - outputs[first]) / back
            errors[span - 1, start, start + 1 :] = (missed - ahead * slope).abs().mean(1).double().cpu().numpy()
    return errors


def fit_meancache_edges(
    edge_errors: Sequence[FloatArray], sigmas: Sequence[float]
) -> tuple[dict[str, Any], dict[str, float], list[tuple[int, int, float]]]:
    """Fit MeanCache's knobs to the errors of several runs: for every edge the smallest mean error and its K."""
    mean = np.mean(edge_errors, axis=0)
    edges = [(start, end) for end in range(1, mean.shape[2]) for start in range(end)]
    costs = [(start, end, float(mean[:, start, end].min())) for start, end in edges]
    knobs = {
        "sigmas": tuple(float(level) for level in sigmas),
        "costs": tuple(float(f"{cost:.6g}") for _, _, cost in costs),
        "spans": tuple(int(mean[:, start, end].argmin()) + 1 for start, end in edges),
    }
    return knobs, {"runs": float(len(edge_errors))}, costs
