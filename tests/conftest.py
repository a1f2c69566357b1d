"""What every test shares: one thread, so that sums come out in one order and small tensors are not slowed down."""

from __future__ import annotations

import torch

torch.set_num_threads(1)
