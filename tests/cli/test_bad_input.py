"""What is wrong is said on stderr, with advice, before the heavy work, and leaves nothing behind."""

import importlib

import pytest
from diffusers import WanImageToVideoPipeline
from PIL import Image
from tests.cli.common import SMALL, STATIC
from tests.support.commands import refused
from tests.support.files import names_in

from navicache.cli import main
from navicache.generation.job import check_call_arguments


@pytest.mark.parametrize(
    ("options", "advice"),
    [
        (["--policy", "nonsense"], "known: navicache, inertial, schedule"),
        (["--mode", "quick"], "mode must be one of 'fast', 'mid', 'slow', got 'quick'"),
        (["--threshold", "-1"], "zero or more"),
        (["--policy", "static", "--threshold", "0.1"], "'static' has no knob 'threshold'"),
        (["--policy", "navicache", "--speedup", "2"], "policy 'navicache' has no knob 'speedup'"),
        (["--speedup", "0.5"], "speedup must be a number from 1"),
        (["--steps", "0"], "--steps: must be a whole number above zero, got '0'"),
        (["--frames", "6"], "--frames must be 4k+1, got 6: 5 or 9 would do"),
        (["--frames", "8"], "--frames must be 4k+1, got 8: 5 or 9 would do"),
        (["--height", "40"], "--height must be a multiple of 16, got 40: 32 or 48 would do"),
        (["--width", "8"], "--width must be a multiple of 16, got 8: 16 or 32 would do"),
        (["--guidance", "nan"], "--guidance: must be a finite number, got 'nan'"),
        (["--guidance", "inf"], "--guidance: must be a finite number, got 'inf'"),
        (["--seed", "-1"], "--seed: must be a whole number from 0 to"),
        (["--seed", str(2**70)], "--seed: must be a whole number from 0 to"),
        (["--prompt", " "], "--prompt: must not be empty"),
        (["--model", "", "--prompt", "x"], "no model is named: give 'pocket'"),
        (["--device", "tpu"], "unknown device 'tpu'"),
        (["--device", "cuda:x"], "unknown device 'cuda:x'"),
        (["--device", "cpu", "--offload", "model"], "the device is the CPU"),
        (["--device", "cpu", "--dtype", "bfloat16"], "the pocket runs in float32 on the CPU"),
        (["--prompt", "a red bal moves leftt"], "does not know: 'bal' (nearest: ball); 'leftt' (nearest: left)"),
        (["--negative-prompt", "zebra"], "does not know: 'zebra'. It knows 8 words: a, ball"),
        (["--model", "nonsense"], "no folder nonsense: give 'pocket', a diffusers folder"),
        (["--model", "./a/b/c", "--prompt", "x"], "no folder ./a/b/c"),
        (["--model", "owner/name"], "say what to show: --prompt"),
    ],
)
def test_wrong_options_end_with_advice(options, advice, tmp_path, capsys):
    extra = [] if "--model" not in options or "--prompt" in options or "owner/name" in options else ["--prompt", "x"]
    assert advice in refused(capsys, "generate", *SMALL, *options, *extra, "--out", str(tmp_path / "out"))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("options", "advice"),
    [(["--policy", "nonsense"], "known: navicache, inertial, schedule"), (["--threshold", "-1"], "zero or more")],
)
def test_the_demo_refuses_as_well(options, advice, tmp_path, capsys):
    assert advice in refused(capsys, "demo", "--out", str(tmp_path / "out"), *options)
    assert not list(tmp_path.iterdir())


def test_an_image_has_no_frames(image_folder, tmp_path, capsys):
    options = ["--model", str(image_folder), "--prompt", "a cat", "--frames", "5", "--out", str(tmp_path / "out")]
    assert "AuraFlowPipeline takes no num_frames: leave out --frames" in refused(capsys, "generate", *options)


def test_a_pipeline_that_needs_a_picture_is_refused():
    with pytest.raises(ValueError, match="WanImageToVideoPipeline also needs image: give --image FILE"):
        check_call_arguments(WanImageToVideoPipeline, {})


@pytest.mark.parametrize(
    ("options", "advice"),
    [
        (["--image", "PICTURE"], "WanPipeline takes no image: leave out --image"),
        (["--image", "none.png"], "no picture none.png: name a file"),
        (["--image", "TEXT"], "cannot be read as a picture"),
        (["--image", "."], ". cannot be read as a picture"),
        (["--shift", "0"], "--shift: must be a number above zero, got '0'"),
        (["--shift", "inf"], "--shift: must be a number above zero, got 'inf'"),
        (["--shift", "much"], "--shift: must be a number above zero, got 'much'"),
        (["--align-steps", "0"], "--align-steps: must be a whole number above zero, got '0'"),
        (["--align-steps", "5"], "align_steps is a knob of navicache"),
        (["--policy", "navicache", "--align-steps", "1"], "align_steps must be"),
        (["--policy", "navicache", "--set", "align_stepz=5"], "no knob 'align_stepz'; did you mean 'align_steps'?"),
        (["--policy", "navicache", "--set", "shadow=full"], "policy 'navicache' has no knob 'shadow'"),
        (["--policy", "navicache", "--set", "process_noise=much"], "process_noise is much: give a finite number"),
        (["--policy", "navicache", "--set", "process_noise"], "--set: must be name=value"),
        (["--policy", "navicache", "--set", "name=x"], "policy 'navicache' has no knob 'name'"),
        (["--threshold", "0.1", "--set", "threshold=0.2"], "threshold is given twice: say it once"),
    ],
)
def test_it_is_refused_before_the_model_is_loaded(options, advice, tmp_path, monkeypatch, capsys):
    Image.new("RGB", (8, 8)).save(tmp_path / "picture.png")
    (tmp_path / "text.png").write_text("no picture")
    files = {"PICTURE": str(tmp_path / "picture.png"), "TEXT": str(tmp_path / "text.png")}
    monkeypatch.setattr("navicache.generation.loading.load_pipeline", lambda _: pytest.fail("loaded"))
    given = [files.get(option, option) for option in options]
    assert advice in refused(capsys, "generate", *SMALL, *given, "--out", str(tmp_path / "out"))
    assert names_in(tmp_path) == ["picture.png", "text.png"]


def test_a_package_the_metrics_lack_is_missed_before_the_model_is_loaded(tmp_path, monkeypatch, capsys):
    def compare(*_):
        raise ModuleNotFoundError("No module named 'torchmetrics'")

    monkeypatch.setattr(importlib.import_module("navicache.evaluation"), "compare", compare)
    monkeypatch.setattr("navicache.generation.loading.load_pipeline", lambda _: pytest.fail("loaded"))
    message = refused(capsys, "generate", *SMALL, "--compare", "--out", str(tmp_path))
    assert "No module named 'torchmetrics'; run `pip install \".[diffusers,eval]\"` in a clone of navicache" in message


def test_ctrl_c_while_a_video_is_written_leaves_no_part_of_it(tmp_path, monkeypatch, capsys):
    written = iter(range(3))

    def interrupted(*_, **__):
        if next(written) == 2:
            raise KeyboardInterrupt
        return original(*_, **__)

    import av

    original = av.VideoFrame.from_ndarray

    class Frames:
        from_ndarray = staticmethod(interrupted)

    monkeypatch.setattr("av.VideoFrame", Frames)
    with pytest.raises(SystemExit) as end:
        main(["generate", *SMALL, *STATIC, "--out", str(tmp_path)])
    assert end.value.code == 130
    assert "interrupted" in capsys.readouterr().err
    assert names_in(tmp_path) == []
