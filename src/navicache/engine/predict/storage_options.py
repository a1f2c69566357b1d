"""How kept tensors are stored."""

from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class StorageOptions:
    """How kept tensors are stored; None as they come.

    The latent of the last step always stays as it is: rounding it would look like a change.
    """

    dtype: torch.dtype | None = None
    device: torch.device | None = None
