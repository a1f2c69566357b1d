"""What every test shares: one thread, so that sums come out in one order and small tensors are not slowed down.

Properties are tried at the same values every time, so that one tree has one result; `make test-all` draws new ones.
How long a draw takes is no reason to fail on a busy machine.
"""

from __future__ import annotations

import platform

import torch
from hypothesis import HealthCheck, settings

settings.register_profile("new values", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same values", settings.get_profile("new values"), derandomize=True)
settings.load_profile("same values")
torch.set_num_threads(1)
if platform.machine() == "aarch64" and not torch.ops.mkldnn._is_mkldnn_bf16_supported():
    # There the first product in bfloat16 makes PyTorch switch mkldnn off for the rest of the process, with a warning,
    # and float32 products have other bits from then on: off from the start, all tests see the same ones.
    torch.backends.mkldnn.set_flags(False)
