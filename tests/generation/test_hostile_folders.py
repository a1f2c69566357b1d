"""Folders that somebody else made: no code of theirs runs, and what cannot be loaded is told in a sentence."""

import json
import pickle
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from navicache.cli import doctor
from navicache.generation.job import ModelSource
from navicache.generation.loading import load_pipeline

MARK = "code-has-run"


class Payload:
    """Its pickle writes a file when it is read."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self):
        return (Path.touch, (self.mark,))


def code(folder: Path, name: str) -> None:
    """A module that writes a file when it is imported."""
    lines = ["from pathlib import Path", f"Path({str(folder / MARK)!r}).touch()"]
    lines += ["from diffusers import DiffusionPipeline as Evil", "EvilConfig = EvilTokenizer = Evil"]
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text("\n".join(lines))


def entries(folder: Path, name: str, **changed: object) -> None:
    path = folder / name
    path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), **changed}), "utf-8")


def index(folder: Path, **changed: object) -> None:
    entries(folder, "model_index.json", **changed)


def custom_pipeline(folder: Path) -> None:
    code(folder, "pipeline.py")
    index(folder, _class_name=["pipeline", "Evil"])


def custom_component(folder: Path) -> None:
    code(folder, "transformer/evil.py")
    index(folder, transformer=["evil", "Evil"])


def pickled_weights(folder: Path) -> None:
    for weights in (folder / "transformer").glob("*.safetensors*"):
        weights.unlink()
    torch.save({"weight": Payload(folder / MARK)}, folder / "transformer" / "diffusion_pytorch_model.bin")


def bare_pickle(folder: Path) -> None:
    for weights in (folder / "text_encoder").glob("*.safetensors*"):
        weights.unlink()
    (folder / "text_encoder" / "pytorch_model.bin").write_bytes(pickle.dumps(Payload(folder / MARK)))


def auto_map(folder: Path) -> None:
    code(folder, "text_encoder/evil.py")
    entries(folder, "text_encoder/config.json", auto_map={"AutoModel": "evil.Evil", "AutoConfig": "evil.EvilConfig"})


NAMED = {
    "custom pipeline": (custom_pipeline, "custom code"),
    "custom component": (custom_component, "evil is no library that diffusers loads from"),
    "unknown pipeline": (lambda folder: index(folder, _class_name="NoSuchPipeline"), "no pipeline 'NoSuchPipeline'"),
    "a function as pipeline": (lambda folder: index(folder, _class_name="logging"), "no pipeline 'logging'"),
    "a number as pipeline": (lambda folder: index(folder, _class_name=3), "no pipeline 3"),
    "unknown component": (lambda folder: index(folder, vae=["diffusers", "NoSuchVae"]), "vae .* has no such class"),
    "os.system": (lambda folder: index(folder, vae=["os", "system"]), "vae .*it is no class that can be loaded"),
    "exec": (lambda folder: index(folder, scheduler=["builtins", "exec"]), "it is no class that can be loaded"),
    "no folder": (lambda folder: shutil.rmtree(folder / "vae"), "its folder .*vae is missing"),
    "no object": (lambda folder: (folder / "model_index.json").write_text("[1, 2]"), "holds no object of components"),
    "deep": (lambda folder: (folder / "model_index.json").write_text("[" * 99999), "model_index.json is damaged"),
    "no text": (lambda folder: (folder / "model_index.json").write_bytes(b"\xff\xfe{"), "model_index.json is damaged"),
}  # doctor and loading say the same
UNTOLD = {
    "pickled weights": pickled_weights,
    "bare pickle": bare_pickle,
    "auto_map": auto_map,
    "no heads": lambda folder: entries(folder, "transformer/config.json", num_attention_heads=0),
    "words for numbers": lambda folder: entries(folder, "vae/config.json", z_dim="many"),
    "another kind": lambda folder: index(folder, scheduler=["diffusers", "WanTransformer3DModel"]),
    "short entry": lambda folder: index(folder, transformer=["diffusers"]),
    "torn weights": lambda folder: next((folder / "vae").glob("*.safetensors")).write_bytes(b"\x00" * 64),
}


@pytest.fixture
def folder(wan_folder, tmp_path):
    return shutil.copytree(wan_folder, tmp_path / "theirs")


@pytest.mark.parametrize("name", NAMED)
def test_doctor_says_what_loading_says(name, folder, monkeypatch):
    monkeypatch.setattr(doctor, "inspect_model", lambda *_: SimpleNamespace(problems=()))  # it takes the longest
    spoil, said = NAMED[name]
    spoil(folder)
    with pytest.raises(ValueError, match=said):
        load_pipeline(ModelSource(str(folder)))
    try:
        problems = doctor.diagnose(str(folder)).problems
    except ValueError as error:  # nothing at all can be said of it
        problems = (str(error),)
    with pytest.raises(ValueError, match=said):
        raise ValueError("; ".join(problems))
    assert not (folder / MARK).exists()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of four libraries, about what was put into their files
@pytest.mark.parametrize("name", UNTOLD)
def test_no_code_runs_and_nothing_but_a_sentence_comes_out(name, folder):
    UNTOLD[name](folder)
    doctor.diagnose(str(folder))
    if name == "auto_map":  # the class that the index names is loaded, and not the one of the map
        load_pipeline(ModelSource(str(folder)))
    else:
        with pytest.raises(ValueError, match=r"^cannot load"):
            load_pipeline(ModelSource(str(folder)))
    assert not (folder / MARK).exists()


def test_the_payloads_would_have_run(tmp_path):
    pickle.loads(pickle.dumps(Payload(tmp_path / MARK)))
    code(tmp_path, "evil.py")
    assert (tmp_path / MARK).exists()
    (tmp_path / MARK).unlink()
    exec((tmp_path / "evil.py").read_text(), {})
    assert (tmp_path / MARK).exists()
