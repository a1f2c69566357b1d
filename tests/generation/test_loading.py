"""Every component in one dtype, whatever it was saved in; Wan's VAE in float32."""

import socket

import pytest
import torch
from tests.tiny.saved import save_wan

import navicache
from navicache.generation.job import ModelSource
from navicache.generation.loading import (
    choose_device,
    choose_dtype,
    load_pipeline,
    locate_model,
    place_pipeline,
    read_model_index,
)


def dtypes(pipe) -> dict[str, torch.dtype]:
    return {name: part.dtype for name, part in pipe.components.items() if isinstance(part, torch.nn.Module)}


@pytest.mark.parametrize(
    ("name", "said"),
    [("x" * 5000, "File name too long"), ("~nobody-at-all/wan", "home directory"), ("a\0b", "no folder")],
)
def test_a_name_that_no_disk_takes_is_told_in_a_sentence(name, said):
    with pytest.raises(ValueError, match=said) as raised:
        locate_model(ModelSource(name))
    assert len(str(raised.value)) < 200


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_one_dtype(dtype, tmp_path):
    saved = torch.bfloat16 if dtype is torch.float32 else torch.float32
    folder = save_wan(tmp_path / "wan", text_dtype=saved)
    pipe = load_pipeline(ModelSource(str(folder), dtype=str(dtype).removeprefix("torch."), device="cpu"))
    assert dtypes(pipe) == {"text_encoder": dtype, "transformer": dtype, "vae": torch.float32}


def test_auto_is_float32_on_the_cpu(wan_folder):
    assert set(dtypes(load_pipeline(ModelSource(str(wan_folder), device="cpu"))).values()) == {torch.float32}


def test_auto_is_bfloat16_on_accelerators_but_for_the_pocket():
    cuda = torch.device("cuda")
    assert choose_dtype(ModelSource("owner/name"), cuda) is torch.bfloat16
    assert choose_dtype(ModelSource(), cuda) is torch.float32
    assert choose_dtype(ModelSource(dtype="float16"), cuda) is torch.float16


@pytest.fixture
def accelerator(monkeypatch):
    """A machine with two of them."""
    monkeypatch.setattr(torch.accelerator, "is_available", lambda: True)
    monkeypatch.setattr(torch.accelerator, "current_accelerator", lambda: torch.device("cuda"))
    monkeypatch.setattr(torch.accelerator, "device_count", lambda: 2)


def test_devices(accelerator):
    assert choose_device(ModelSource()) == torch.device("cuda")
    assert choose_device(ModelSource(device="cpu")) == torch.device("cpu")
    assert choose_device(ModelSource(device="cuda:1", offload="model")) == torch.device("cuda:1")
    with pytest.raises(ValueError, match="no cuda:2, only 2 of its kind"):
        choose_device(ModelSource(device="cuda:2"))
    with pytest.raises(ValueError, match=r"no mps .PyTorch sees cpu and cuda."):
        choose_device(ModelSource(device="mps"))


@pytest.mark.parametrize(
    ("part", "advice"),
    [
        ("model_index.json", "model_index.json is damaged"),
        ("transformer/diffusion_pytorch_model.safetensors", "cannot load .*wan"),
        ("text_encoder/model.safetensors", "cannot load .*wan"),
    ],
)
def test_half_a_download_is_refused_with_its_name(part, advice, tmp_path):
    folder = save_wan(tmp_path / "wan")
    (folder / part).write_bytes((folder / part).read_bytes()[:40])
    with pytest.raises(ValueError, match=advice):
        load_pipeline(ModelSource(str(folder), device="cpu"))


def test_a_hub_that_does_not_answer_is_asked_once(monkeypatch):
    asked = []

    def unreachable(host, *_, **__):
        asked.append(host)
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unreachable)
    monkeypatch.setattr("time.sleep", lambda seconds: pytest.fail(f"waits {seconds} s"))
    with pytest.raises(
        ValueError, match="cannot get nobody/nothing from the model hub, and it is neither a folder here"
    ):
        read_model_index("nobody/nothing")
    assert len(asked) <= 2, "one request, which may look the name up twice; none if the hub is switched off"


@pytest.mark.parametrize("way", ["model", "group"])
def test_offload_leaves_a_pipeline_that_gives_the_same(way, wan_folder):
    """On a device named "cpu", which is all there is here; accelerate's sequential hooks refuse that one."""
    pipe, plain = (load_pipeline(ModelSource(str(wan_folder), device="cpu")) for _ in range(2))
    place_pipeline(pipe, torch.device("cpu"), way)
    sizes = {"num_frames": 5, "height": 32, "width": 32, "num_inference_steps": 4, "output_type": "latent"}
    latents = []
    for each in (pipe, plain):
        each.set_progress_bar_config(disable=True)
        with navicache.enable(each, "static", interval=2) as cache:
            latents.append(each("a cat", **sizes, generator=torch.Generator().manual_seed(0)).frames)
            assert cache.trace.runs[-1].computed_steps() == (0, 2, 3)
    assert torch.equal(*latents)
