"""`flux` and `ltx` in miniature: trained, saved, opened by diffusers' own classes, and measured."""

import json
from dataclasses import replace

import pytest
import torch
from benchmarks.training import bend, hardness
from tests.pocket.train.hard.toys import SIDE, SMALL, shake

from navicache.pocket.members import MEMBERS
from navicache_pocket.train import __main__ as command
from navicache_pocket.train.hard import catalog
from navicache_pocket.train.hard.recipe import MEMBERS_FOLDER, tokenize_all_captions
from navicache_pocket.train.hard.samples import generate_pictures, open_hard_pipeline
from navicache_pocket.train.pipeline_folder import count_parameters
from navicache_pocket.world.wild import list_wild_captions

SOURCES = {"flux": "unet", "ltx": "sound"}
CALL = {"num_inference_steps": 4, "height": SIDE, "width": SIDE}


@pytest.fixture(params=catalog.RECIPES)
def name(request):
    return request.param


@pytest.fixture
def saved(name, tmp_path):
    torch.manual_seed(0)
    model = shake(SMALL[name].make_denoiser()).eval()
    SMALL[name].save_pipeline(model, tmp_path / name)
    return model, tmp_path / name


def test_the_pipeline_has_the_other_members_autoencoder_byte_for_byte(name, saved):
    weights = "vae/diffusion_pytorch_model.safetensors"
    assert (saved[1] / weights).read_bytes() == (MEMBERS_FOLDER / SOURCES[name] / weights).read_bytes()
    assert type(open_hard_pipeline(SMALL[name].member, saved[1], "cpu")).__name__ == SMALL[name].member.pipeline


def test_the_pipeline_calls_the_transformer_as_training_does(name, saved):
    """With its captions, and for guidance with the empty one: the same inputs give the same outputs."""
    again = SMALL[name].make_denoiser().eval()
    again.load_state_dict(saved[0].state_dict())
    pipe = open_hard_pipeline(SMALL[name].member, saved[1], "cpu")
    calls = []
    pipe.transformer.register_forward_hook(
        lambda module, given, named, output: calls.append((named, output[0])), with_kwargs=True
    )
    number = 7
    generate_pictures(pipe, [list_wild_captions()[number]], {**SMALL[name].member.call, **CALL}, seed=0)
    named, made = calls[0]
    time = torch.full((1,), 1000.0)
    if name == "ltx":  # the unguided half comes first
        rows, time = torch.tensor([len(list_wild_captions()), number]), time.repeat(2)
    else:
        rows = torch.tensor([number])
        empty = again(calls[1][0]["hidden_states"], time, torch.tensor([len(list_wild_captions())]))
        torch.testing.assert_close(calls[1][1], empty, atol=1e-3, rtol=1e-2)
        assert (calls[1][1] - made).abs().max() > 1e-3
    torch.testing.assert_close(made, again(named["hidden_states"], time, rows), atol=1e-3, rtol=1e-2)


@pytest.mark.slow
def test_the_command_trains_and_the_next_one_goes_on(name, tmp_path, monkeypatch, capsys):
    member = SMALL[name].member
    short = replace(SMALL[name], member=replace(member, call={**member.call, **CALL}))
    monkeypatch.setitem(catalog.RECIPES, name, short)
    out = tmp_path / name
    few = ["--minutes", "0.05", "--reserve", "0", "--clips", "4", "--batch", "2", "--sample-steps", "2"]
    monkeypatch.setattr("sys.argv", ["train", "--member", name, "--device", "cpu", "--out", str(out), *few])
    steps = []
    for _ in range(2):
        command.main()
        state = torch.load(out.with_name(f"{name}-state") / "denoiser.pt", weights_only=True)
        steps.append(state["step"])
    assert 0 < steps[0] < steps[1]
    assert "pool: 4 clips" in capsys.readouterr().out
    assert (out.with_name(f"{name}-state") / "samples.jpg").stat().st_size > 1000


def test_it_is_small(name):
    recipe = catalog.RECIPES[name]
    parts = count_parameters(dict(recipe.make_denoiser().named_children()))
    text = sum(count for part, count in parts.items() if part.startswith("text"))
    vae = (MEMBERS_FOLDER / SOURCES[name] / "vae" / "diffusion_pytorch_model.safetensors").stat().st_size
    assert 2 * parts["transformer"] + 4 * text + vae < 19.9e6
    assert recipe.size == recipe.member.call["height"] == recipe.member.call["width"]
    assert recipe.member.name == name


def test_every_caption_and_the_empty_one_are_tokenized():
    ids = tokenize_all_captions()
    assert len(ids.unique(dim=0)) == len(ids) == len(list_wild_captions()) + 1
    assert ids[-1].tolist() == [1] + [0] * (ids.shape[1] - 1)
    assert not (ids == 2).any()  # the unknown word


def test_the_ruler_measures_a_member(name, saved, tmp_path):
    few = ["--captions", "1", "--steps", "8", "--shifts", "3", "--samplers", "euler", "--device", "cpu"]
    shape = json.dumps({"height": SIDE, "width": SIDE})
    paths = [
        "--checkpoint",
        str(saved[1]),
        "--out",
        str(tmp_path / "found.json"),
        "--sheet",
        str(tmp_path / "found.jpg"),
    ]
    found = hardness.main(["--member", name, *few, "--shape", shape, *paths])
    (written,) = json.loads((tmp_path / "found.json").read_text())
    assert written["rows"] == found[0]["rows"] and list(written["bend"]) == ["5"]
    rows = {row["name"]: row for row in found[0]["rows"]}
    assert list(rows) == ["fewer steps", "static", "navicache", "easycache", "inertial"]
    assert rows["fewer steps"]["computed"] == rows["inertial"]["computed"] == 4
    assert all(10 < row["worst"] <= row["mean"] for row in rows.values())
    assert (tmp_path / "found-euler-3-4-8.jpg").is_file()


def test_noise_jumps_and_a_parabola_bends():
    torch.manual_seed(0)
    found = bend.measure_bend(torch.randn(40, 2, 20000))
    assert list(found) == list(bend.STEPS)
    assert bend.average_middle(found) == pytest.approx(-2 / 3, abs=0.02)
    grouped = bend.group_by_step([torch.full((2, 3), float(call)) for call in range(6)], steps=3)
    assert grouped[:, :, 0].tolist() == [[0, 0, 1, 1], [2, 2, 3, 3], [4, 4, 5, 5]]
    with pytest.raises(ValueError, match="6 outputs are not those of 4 steps"):
        bend.group_by_step([torch.zeros(1)] * 6, steps=4)


def test_a_member_without_weights_is_trained_and_measured_but_not_opened_by_name(name, capsys):
    assert name in command.NAMES and name not in MEMBERS
    with pytest.raises(SystemExit):
        hardness.main(["--member", name])
    assert f"no weights of {name} are packaged" in capsys.readouterr().err
