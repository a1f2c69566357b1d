"""Denoisers from their configurations, without a weight."""

import json

import pytest

from navicache.generation.meta_denoisers import build_denoisers


def index(folder):
    return json.loads((folder / "model_index.json").read_text("utf-8"))


def test_a_denoiser_is_built_where_it_takes_no_memory(wan_folder):
    built, problems = build_denoisers(wan_folder, index(wan_folder))
    assert problems == [] and list(built) == ["transformer"]
    assert {weight.device.type for weight in built["transformer"].model.parameters()} == {"meta"}
    assert built["transformer"].config["num_layers"] == len(built["transformer"].model.blocks)


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (["diffusers", "NoSuchTransformer"], "transformer (diffusers, NoSuchTransformer): diffusers "),
        (["diffusers", "FluxTransformer2DModel"], "transformer (diffusers, FluxTransformer2DModel): its config.json"),
    ],
)
def test_what_cannot_be_built_is_named_and_no_error(entry, said, wan_folder, tmp_path):
    (tmp_path / "transformer").mkdir()
    (tmp_path / "transformer" / "config.json").write_text('{"num_layers": "many"}')
    built, (problem,) = build_denoisers(tmp_path, {**index(wan_folder), "transformer": entry})
    assert built == {} and problem.startswith(said)


def test_an_index_without_a_denoiser_says_what_it_has():
    built, (problem,) = build_denoisers("nowhere", {"_class_name": "Odd", "vae": ["diffusers", "AutoencoderKL"]})
    assert built == {} and problem.endswith("it has: vae")


def test_a_denoiser_under_another_name_is_found_by_its_class(wan_folder, tmp_path):
    entries = {"second_look": ["diffusers", "WanTransformer3DModel"], "vae": ["diffusers", "AutoencoderKLWan"]}
    (tmp_path / "second_look").symlink_to(wan_folder / "transformer")
    built, problems = build_denoisers(tmp_path, {"_class_name": "Odd", **entries})
    assert problems == [] and list(built) == ["second_look"]
