"""`navicache tune` on a tiny pipeline: the file it writes, the run that goes on, and what it refuses."""

import argparse
import html
import json
import re
import sys

import pytest
import torch
from tests.support.commands import refused

from navicache import enable
from navicache.cli import main
from navicache.cli.tune.answer import Answer, write_page
from navicache.cli.tune.command import add_subcommand_options
from navicache.cli.tune.job import read_tune_job
from navicache.cli.tune.run import build_runner
from navicache.evaluation.bench.rows import RowFile
from navicache.evaluation.tuning.scores import Candidate
from navicache.evaluation.tuning.search import TuneTask
from navicache.generation.job import ModelSource
from navicache.generation.loading import load_pipeline
from navicache.models import read_settings

PROMPTS = "a red ball\na blue cat\na green tree\na small house\n"
CALL = ("--steps", "12", "--frames", "5", "--height", "32", "--width", "48", "--guidance", "4")


def read_options(*command):
    parser = argparse.ArgumentParser()
    add_subcommand_options(parser)
    return parser.parse_args(command[1:])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("tune")


@pytest.fixture
def tune(wan_folder, folder):
    """The command with a model, its call and its prompts."""
    (folder / "prompts.txt").write_text(PROMPTS, encoding="utf-8")
    return ["tune", "--model", str(wan_folder), "--prompts", str(folder / "prompts.txt"), *CALL]


@pytest.fixture
def tuned(tune, folder, capsys):
    """The results of a search for twice the speed; what is there is not searched again."""
    out, share = folder / "out", folder / "row.json"
    arguments = [*tune, "--speedup", "2", "--effort", "3", "--out", str(out), "--share", str(share)]
    assert main(arguments) == 0
    return out, share, capsys.readouterr().out, arguments


def test_the_file_says_what_was_measured_and_enable_takes_it(tuned, wan_folder):
    out, _, text, _ = tuned
    settings = read_settings(out / "settings.json")
    assert settings.run.steps == 12 and settings.run.guidance == 4.0 and settings.choice.speedup == 2.0
    assert settings.run.size == {"num_frames": 5, "height": 32, "width": 48}
    assert f'settings="{out / "settings.json"}"' in text and (out / "report.html").is_file()
    videos = {row["prompt_index"] for row in RowFile(out / "rows.jsonl").rows if row.get("video")}
    assert videos == {0, 1}
    pipe = load_pipeline(ModelSource(str(wan_folder), device="cpu"))
    with enable(pipe, settings=str(out / "settings.json")) as cache:
        pipe("a red ball", num_inference_steps=12, num_frames=5, height=32, width=48, guidance_scale=4.0)
        (run,) = cache.trace.runs
    assert run.computed == 6 and not run.notes
    if settings.choice.policy == "schedule":
        assert run.computed_steps() == settings.choice.knobs["at"]


def test_the_page_begins_with_the_choice_and_its_own_figures(tuned):
    out, *_ = tuned
    settings = read_settings(out / "settings.json")
    page = (out / "report.html").read_text(encoding="utf-8")
    headline = html.unescape(re.search(r"<h1>(.*?)</h1>", page, re.DOTALL)[1])
    assert settings.about["candidate"] in headline and f"PSNR {settings.choice.scores['psnr']:.2f}" in headline
    assert "navicache tune" in page and "PLAN.toml" not in page


def test_a_search_that_is_repeated_measures_nothing_again(tuned, capsys):
    out, _, text, arguments = tuned
    rows = (out / "rows.jsonl").read_bytes()
    assert main(arguments) == 0
    assert (out / "rows.jsonl").read_bytes() == rows and capsys.readouterr().out == text


def test_a_search_that_was_killed_goes_on(tuned, capsys):
    out, _, text, arguments = tuned
    rows = (out / "rows.jsonl").read_bytes()
    lines = rows.splitlines(keepends=True)
    (out / "rows.jsonl").write_bytes(b"".join(lines[:9]) + lines[9][:40])  # a line was torn
    assert main(arguments) == 0
    assert capsys.readouterr().out == text
    assert len(RowFile(out / "rows.jsonl").rows) == len(lines)


def test_half_of_the_prompts_confirm(tuned):
    out, *_ = tuned
    rows = RowFile(out / "rows.jsonl").rows
    confirmed = {row["setting"] for row in rows if row["kind"] == "cached" and row["prompt_index"] % 2}
    searched = {row["setting"] for row in rows if row["kind"] == "cached"}
    assert "default 6" in confirmed and len(confirmed) <= 2 < len(searched)


def test_a_shared_row_tells_no_prompt_and_no_path(tuned, wan_folder):
    _, share, *_ = tuned
    row = json.loads(share.read_text())
    assert row["transformer"] == "WanTransformer3DModel" and row["steps"] == 12 and row["model"] == wan_folder.name
    assert "ball" not in share.read_text() and str(wan_folder.parent) not in share.read_text()


def test_a_quality_is_kept_on_all_prompts(tune, folder, capsys):
    out = folder / "quality"
    assert main([*tune, "--quality", "psnr>=25", "--effort", "3", "--no-rivals", "--out", str(out)]) == 0
    settings = read_settings(out / "settings.json")
    assert settings.choice.scores["psnr"] >= 25 and settings.about["target"] == "psnr >= 25"
    assert "times the speed" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        (["--quality", "lpips>=0.05"], "write lpips<=0.05"),
        (["--quality", "nice"], "a quality is lpips<=0.05, psnr>=32 or ssim>=0.95"),
        (["--quality", "psnr>=100"], "give another limit"),
        (["--speedup", "1"], "--speedup must be above 1"),
        (["--count", "3"], "give 4 or more"),
        (["--sampler", "NoScheduler"], "diffusers has no scheduler"),
        (["--sampler", "DDIMScheduler", "--shift", "3"], "has no flow shift"),
    ],
)
def test_bad_input_is_refused_before_anything_is_written(tune, folder, capsys, arguments, advice):
    out = folder / "refused"
    assert advice in refused(capsys, *tune, *arguments, "--out", out)
    assert not out.exists()


@pytest.mark.parametrize(("option", "wrong"), [("--quality", "nice"), ("--speedup", "1")])
def test_a_wrong_target_is_refused_before_the_slow_imports(option, wrong, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "navicache.cli.tune.run", None)  # with all that it imports
    message = refused(capsys, "tune", option, wrong)
    assert wrong in message and "navicache.cli.tune.run" not in message


def test_a_model_needs_prompts_and_a_file_that_can_be_read(wan_folder, tmp_path, capsys):
    assert "--prompts FILE" in refused(capsys, "tune", "--model", wan_folder)
    assert "no file" in refused(capsys, "tune", "--model", wan_folder, "--prompts", tmp_path / "none.txt")
    (tmp_path / "empty.txt").write_text("\n\n")
    assert "holds no prompt" in refused(capsys, "tune", "--model", wan_folder, "--prompts", tmp_path / "empty.txt")


def test_a_model_that_does_not_fit_the_memory_is_refused(tune, monkeypatch, folder, capsys):
    monkeypatch.setattr("navicache.cli.tune.memory_check.read_free_bytes", lambda device: 1000)
    message = refused(capsys, *tune, "--speedup", "2", "--out", folder / "memory")
    assert "GiB for its weights alone" in message and not (folder / "memory").exists()


def test_without_videos_nothing_needs_a_video_writer(tune, folder, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "av", None)
    out = folder / "no-videos"
    command = [*tune, "--speedup", "2", "--out", str(out)]
    assert "give --videos 0" in refused(capsys, *command) and not out.exists()
    options = read_options(*command, "--videos", "0")
    job = read_tune_job(options)
    out.mkdir()
    runner, half = build_runner(job, options, lambda *_: None), Candidate("default 6", "inertial", {"speedup": 2.0})
    runner.run_plain()
    runner.try_out([(half, [0])])
    write_page(job, Answer(half, TuneTask([1.0] * 13, [0], [0]), runner.board, {}, {}, ()))
    assert (out / "report.html").is_file() and not list(out.rglob("*.mp4"))


def test_results_of_another_search_are_not_mixed(tuned, tune, capsys):
    out, *_ = tuned
    other = ["--speedup", "2", "--seed", "7", "--effort", "3", "--no-rivals"]
    assert "another --out" in refused(capsys, *tune, *other, "--out", out)


def test_what_was_found_or_fitted_for_a_rival_is_in_its_knobs(tune, wan_folder, folder):
    options = read_options(*tune, "--speedup", "2", "--out", str(folder / "rivals"))
    runner = build_runner(read_tune_job(options), options, lambda *_: None)
    (folder / "rivals").mkdir()
    rivals = [
        Candidate("e", "easycache", {"align_steps": 3}, target=1.5),
        Candidate("l", "l2p", {"speedup": 2.0}, fitted=True),
    ]
    runner.try_out([(rival, [0]) for rival in rivals])
    assert not runner.board.refused and set(runner.found_knobs) == {"e", "l"}
    pipe = load_pipeline(ModelSource(str(wan_folder), device="cpu"))
    for rival in rivals:
        with enable(pipe, rival.policy, **runner.found_knobs[rival.name]) as cache:
            call = {"num_inference_steps": 12, "num_frames": 5, "height": 32, "width": 48, "guidance_scale": 4.0}
            pipe("a red ball", generator=torch.Generator().manual_seed(0), **call)
        assert cache.trace.runs[0].computed == runner.board.runs[rival.name, 0].computed
