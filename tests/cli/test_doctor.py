"""`navicache doctor`: what is found, what is possible, and when it says that something is wrong."""

import json
import shutil
from pathlib import Path

import pytest
import torch

from navicache.cli import doctor, main
from navicache.policies import POLICIES


def asked(capsys, *arguments: str) -> tuple[int, str]:
    status = main(["doctor", *arguments])
    return status, capsys.readouterr().out


def test_the_pocket_by_default(capsys):
    status, text = asked(capsys)
    assert status == 0
    assert "pocket (WanPipeline)" in text
    for line in (
        "latent        hidden_states",
        "time          timestep",
        "conditioning  encoder_hidden_states, encoder_hidden_states_image",
        "blocks        blocks: 2 x WanTransformerBlock",
        "modules       2 self_attention, 2 cross_attention, 2 mlp",
    ):
        assert line in text
    assert all(f"\n  {policy} " in text for policy in POLICIES)
    assert "no: policy 'magcache' needs a table" in text
    assert text.rstrip().endswith("nothing is wrong")
    assert max(map(len, text.splitlines())) < 190


def test_versions_and_device_are_told(capsys):
    report = json.loads(asked(capsys, "--json")[1])
    assert {"navicache", "python", "torch", "diffusers", "transformers", "accelerate", "device"} == set(
        report["versions"]
    )
    assert report["versions"]["torch"] == torch.__version__
    assert report["problems"] == []


def test_a_folder_and_no_weight_is_read(capsys, wan_folder, tmp_path):
    folder = shutil.copytree(wan_folder, tmp_path / "bare")
    for weights in folder.rglob("*.safetensors"):
        weights.unlink()
    status, text = asked(capsys, str(folder), "--json")
    (found,) = json.loads(text)["findings"]
    assert status == 0
    assert found["kind"] == "WanTransformer3DModel"
    assert found["lists"] == {"blocks": "2 x WanTransformerBlock"}
    assert found["sites"] == {"model": "", "blocks": "", "modules": ""}


def test_another_family(capsys, image_folder):
    status, text = asked(capsys, str(image_folder))
    assert status == 0
    assert "joint_transformer_blocks: 1 x AuraFlowJointTransformerBlock" in text
    assert "single_transformer_blocks: 1 x AuraFlowSingleTransformerBlock" in text


def edited(folder: Path, **entries: object) -> Path:
    index = folder / "model_index.json"
    index.write_text(json.dumps({**json.loads(index.read_text("utf-8")), **entries}), "utf-8")
    return folder


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ({"transformer": ["diffusers", "NoSuchTransformer"]}, "has no such class: a newer one may"),
        ({"transformer": [None, None]}, "no denoiser under a known name (transformer, "),
    ],
    ids=["unknown", "none"],
)
def test_exit_status_1_when_something_is_wrong(capsys, wan_folder, tmp_path, entries, said):
    folder = edited(shutil.copytree(wan_folder, tmp_path / "edited"), **entries)
    status, text = asked(capsys, str(folder))
    assert status == 1
    assert "wrong: " in text
    assert said in text


@pytest.mark.parametrize("library", ["transformers", "own_code"])
def test_a_class_that_nothing_has_is_named_once(capsys, wan_folder, tmp_path, library):
    folder = edited(shutil.copytree(wan_folder, tmp_path / "edited"), transformer=[library, "WanTransformer3D"])
    status, text = asked(capsys, str(folder), "--json")
    (problem,) = json.loads(text)["problems"]
    assert status == 1 and problem.startswith(f"transformer ({library}, WanTransformer3D): {library} ")


def test_a_damaged_config_is_wrong_and_named(capsys, wan_folder, tmp_path):
    folder = shutil.copytree(wan_folder, tmp_path / "damaged")
    config = folder / "transformer" / "config.json"
    config.write_text(json.dumps({**json.loads(config.read_text("utf-8")), "num_layers": "many"}), "utf-8")
    status, text = asked(capsys, str(folder))
    assert status == 1
    assert "wrong: transformer (diffusers, WanTransformer3DModel): its config.json does not build it" in text


@pytest.mark.parametrize("model", ["/nowhere/at/all", "no-such-model"])
def test_exit_status_2_for_bad_input(capsys, model):
    with pytest.raises(SystemExit) as stopped:
        main(["doctor", model])
    assert stopped.value.code == 2
    assert "give 'pocket', a diffusers folder, or a hub id" in capsys.readouterr().err


def test_an_old_diffusers_is_wrong(capsys, monkeypatch):
    monkeypatch.setattr(doctor, "_installed_version", lambda package: "0.30.0" if package == "diffusers" else "9.9")
    status, text = asked(capsys)
    assert status == 1
    assert 'wrong: diffusers 0.30.0 is too old: pip install "diffusers>=0.42"' in text


def test_our_own_transformer_is_found(capsys, wan_folder, tmp_path):
    folder = edited(shutil.copytree(wan_folder, tmp_path / "ours"), transformer=["navicache", "STDiT3Transformer"])
    sizes = {"depth": 2, "hidden_size": 24, "num_heads": 2, "caption_channels": 16}
    (folder / "transformer" / "config.json").write_text(json.dumps(sizes), "utf-8")
    status, text = asked(capsys, str(folder))
    assert status == 0
    assert "transformer: STDiT3Transformer" in text
    assert "spatial_blocks: 2 x" in text
