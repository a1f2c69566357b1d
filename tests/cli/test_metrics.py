"""`navicache metrics` on files: figures as of the frames, and errors that name the file."""

import csv
import json

import numpy as np
import pytest
from skimage.metrics import peak_signal_noise_ratio
from tests.cli.common import decoded
from tests.evaluation.sounds import hiss, mix, tone
from tests.evaluation.test_sound_files import save_wave
from tests.support.commands import refused

from navicache.cli import main
from navicache.evaluation.sound import audio_snr
from navicache.report.video import save_video


def clip(seed, frames=4, height=48, width=64):
    ramp = np.linspace(0, 1, width)[None, None, :, None]
    noise = np.random.default_rng(seed).random((frames, height, width, 3))
    return 0.7 * ramp + 0.3 * noise


@pytest.fixture
def folders(tmp_path, monkeypatch):
    monkeypatch.setenv("NAVICACHE_HOME", str(tmp_path / "home"))  # no LPIPS, whatever the machine has
    for side in ("a", "b"):
        (tmp_path / side).mkdir()
        for number in range(3):
            save_video(clip(number if side == "a" else 10 + number), tmp_path / side / f"{number}.mp4")
    return tmp_path / "a", tmp_path / "b"


def test_folders_table_json_and_csv(folders, tmp_path, capsys):
    reference, other = folders
    files = {kind: tmp_path / f"new.{kind}" for kind in ("json", "csv")}
    options = ["--json", str(files["json"]), "--csv", str(files["csv"])]
    assert main(["metrics", str(reference), str(other), *options]) == 0
    document = json.loads(files["json"].read_text())
    with files["csv"].open() as file:
        rows = list(csv.DictReader(file))
    assert (
        [video["name"] for video in document["videos"]] == [row["name"] for row in rows] == ["0.mp4", "1.mp4", "2.mp4"]
    )
    for video, row in zip(document["videos"], rows, strict=True):
        first, second = (decoded(folder / video["name"]) for folder in folders)
        frames = [peak_signal_noise_ratio(a, b) for a, b in zip(first, second, strict=True)]
        assert video["psnr"] == pytest.approx(np.mean(frames), abs=1e-3)
        assert float(row["psnr"]) == video["psnr"]
    mean = document["mean"]["psnr"]
    assert mean["low"] <= mean["mean"] <= mean["high"] and mean["count"] == 3
    assert document["mean"]["lpips"] is None and all(row["lpips"] == "" for row in rows)
    printed = capsys.readouterr().out
    assert "95 % from" in printed and f"{mean['mean']:.3f}" in printed and "LPIPS: " in printed


def test_two_files_and_the_same_one(folders, capsys):
    path = folders[0] / "0.mp4"
    assert main(["metrics", str(path), str(path)]) == 0
    assert "100.000" in capsys.readouterr().out


def test_what_cannot_be_compared_is_named(folders, tmp_path, capsys):
    reference, _other = folders
    good, bad = reference / "0.mp4", tmp_path / "bad.mp4"
    save_video(clip(0, frames=6), bad)
    assert f"{good} is 4 frames of 64x48 and {bad} 6 frames of 64x48" in refused(capsys, "metrics", good, bad)
    save_video(clip(0, height=32), bad)
    assert f"{bad} 4 frames of 64x32" in refused(capsys, "metrics", good, bad)
    save_video(clip(0, frames=1), bad)
    assert f"{bad} cannot be compared with {bad}: flickering" in refused(capsys, "metrics", bad, bad)
    bad.write_bytes(b"")
    assert f"{bad} is empty" in refused(capsys, "metrics", good, bad)
    bad.write_bytes(b"not a video at all" * 100)
    assert f"{bad} cannot be read as a video" in refused(capsys, "metrics", good, bad)
    bad.write_bytes(good.read_bytes()[:-200])
    assert str(bad) in refused(capsys, "metrics", good, bad)
    assert f"{tmp_path / 'none.mp4'} is no file" in refused(capsys, "metrics", good, tmp_path / "none.mp4")


def test_folders_must_hold_the_same_names(folders, tmp_path, capsys):
    reference, other = folders
    (other / "1.mp4").unlink()
    assert f"{other} has no 1.mp4" in refused(capsys, "metrics", reference, other)
    (other / "2.mp4").unlink()
    assert "(and 1 more)" in refused(capsys, "metrics", reference, other)
    assert "one of each" in refused(capsys, "metrics", reference, other / "0.mp4")
    (tmp_path / "empty").mkdir()
    assert f"{tmp_path / 'empty'} holds no video" in refused(capsys, "metrics", tmp_path / "empty", other)
    assert "create the folder" in refused(capsys, "metrics", other, other, "--json", tmp_path / "no" / "x.json")


def test_videos_with_sound_and_sound_alone(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("NAVICACHE_HOME", str(tmp_path / "home"))
    paths = {name: tmp_path / name for name in ("a.mp4", "b.mp4", "silent.mp4", "a.wav", "b.wav")}
    first, second = tone(), mix(tone(), hiss(), 0.1)
    save_video(clip(0), paths["a.mp4"], 8, first)
    save_video(clip(1), paths["b.mp4"], 8, second)
    save_video(clip(0), paths["silent.mp4"])
    save_wave(first, paths["a.wav"])
    save_wave(second, paths["b.wav"])
    document = tmp_path / "x.json"
    for kind, error in (("mp4", 3), ("wav", 0.05)):  # AAC loses a little of the hiss
        pair = (str(paths[f"a.{kind}"]), str(paths[f"b.{kind}"]))
        assert main(["metrics", *pair, "--json", str(document)]) == 0
        means = json.loads(document.read_text())["mean"]
        assert means["audio_snr"]["mean"] == pytest.approx(audio_snr(first, second), abs=error)
        assert ("psnr" in means) == (kind == "mp4")
        assert "log-spectral" in capsys.readouterr().out
    message = refused(capsys, "metrics", paths["a.mp4"], paths["silent.mp4"])
    assert f"{paths['a.mp4']} has sound and {paths['silent.mp4']} has none" in message
    save_wave(tone(samples=9), paths["b.wav"])
    assert f"{paths['b.wav']} cannot be compared with {paths['a.wav']}" in refused(
        capsys, "metrics", paths["a.wav"], paths["b.wav"]
    )
    assert "silent.wav cannot be read" in refused(capsys, "metrics", bad(tmp_path / "silent.wav"), paths["a.wav"])


def bad(path):
    path.write_bytes(b"words")
    return path
