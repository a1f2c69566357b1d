"""Every component in one dtype, whatever it was saved in; Wan's VAE in float32."""

import pytest
import torch
from tests.tiny.saved import save_wan

from navicache.cli.job import Source
from navicache.cli.loading import choose_device, choose_dtype, load


def dtypes(pipe) -> dict[str, torch.dtype]:
    return {name: part.dtype for name, part in pipe.components.items() if isinstance(part, torch.nn.Module)}


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_one_dtype(dtype, tmp_path):
    saved = torch.bfloat16 if dtype is torch.float32 else torch.float32
    folder = save_wan(tmp_path / "wan", text_dtype=saved)
    pipe = load(Source(str(folder), dtype=str(dtype).removeprefix("torch."), device="cpu"))
    assert dtypes(pipe) == {"text_encoder": dtype, "transformer": dtype, "vae": torch.float32}


def test_auto_is_float32_on_the_cpu(wan_folder):
    assert set(dtypes(load(Source(str(wan_folder), device="cpu"))).values()) == {torch.float32}


def test_auto_is_bfloat16_on_accelerators_but_for_the_pocket():
    cuda = torch.device("cuda")
    assert choose_dtype(Source("owner/name"), cuda) is torch.bfloat16
    assert choose_dtype(Source(), cuda) is torch.float32
    assert choose_dtype(Source(dtype="float16"), cuda) is torch.float16


@pytest.fixture
def accelerator(monkeypatch):
    """A machine with two of them."""
    monkeypatch.setattr(torch.accelerator, "is_available", lambda: True)
    monkeypatch.setattr(torch.accelerator, "current_accelerator", lambda: torch.device("cuda"))
    monkeypatch.setattr(torch.accelerator, "device_count", lambda: 2)


def test_devices(accelerator):
    assert choose_device(Source()) == torch.device("cuda")
    assert choose_device(Source(device="cpu")) == torch.device("cpu")
    assert choose_device(Source(device="cuda:1", offload="model")) == torch.device("cuda:1")
    with pytest.raises(ValueError, match="no cuda:2, only 2 of its kind"):
        choose_device(Source(device="cuda:2"))
    with pytest.raises(ValueError, match="no mps .PyTorch sees cpu and cuda."):
        choose_device(Source(device="mps"))
