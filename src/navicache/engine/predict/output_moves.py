"""The prediction of an output that has no latent of its own: its newest value, and moves between computed ones.

    y_0 + sum_k w_k (y_k - y_0) + e m

with the weights of a predictor for the outputs y_k, newest first, and for its last error m. For weights that add up to
one it is their plain sum. Written as moves it keeps what has never moved as it is, to the last bit.
"""

from collections.abc import Sequence

import torch

from navicache.engine.tensors.rows import Rows, add_rows, move_rows, scale_rows, subtract_rows
from navicache.policies import PredictionWeights


def sum_output_moves(
    outputs: Sequence[Rows],
    last_error: Rows,
    weights: Sequence[PredictionWeights],
    device: torch.device | None,
    wide: torch.dtype,
) -> Rows:
    """Predict with one weight for all rows or one each; what is not finite does not move."""
    newest = move_rows(outputs[0], device, wide)
    total = scale_rows(newest, [1.0])  # a copy: nobody else can write to it
    for back, output in enumerate(outputs[1:], 1):
        column = [each.references[back][1] if back < len(each.references) else 0.0 for each in weights]
        if any(column):
            move = subtract_rows(move_rows(output, device, wide), newest)
            total = add_rows(total, scale_rows(_drop_nonfinite(move), column))
    column = [each.error_weight for each in weights]
    if last_error and any(column):
        total = add_rows(total, scale_rows(_drop_nonfinite(move_rows(last_error, device, wide)), column))
    return total


def _drop_nonfinite(rows: Rows) -> Rows:
    return tuple(torch.nan_to_num(chunk, 0.0, 0.0, 0.0) for chunk in rows)
