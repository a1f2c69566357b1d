"""Arithmetic on rows."""

import torch

from navicache.engine.tensors.rows import measure_mean_product


def test_moves_kept_on_another_device_are_brought_to_the_new_one():
    """References on the CPU, the output on an accelerator: "meta" stands for it, where only shapes are worked out."""
    there, here = torch.ones(2, 3, 4, device="meta"), torch.ones(2, 3, 4)
    reading = measure_mean_product((there,), (here,))
    assert reading.tensor is not None
    assert reading.tensor.device.type == "meta"
    assert reading.tensor.shape == (2,)
