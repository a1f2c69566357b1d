"""`pocket:NAME` in every command: each member of the family by its own call, and what is said where one is missing."""

import json
from dataclasses import replace

import pytest
from tests.cli.common import decoded
from tests.pocket.train.family.packed import pack
from tests.pocket.train.family.small import SMALL
from tests.support.files import names_in

import navicache.pocket
from navicache.cli import main
from navicache.cli.bench.conversion import find_calibration
from navicache.cli.bench.plan_setup import add_embedded_calls
from navicache.evaluation.bench.jobs import expand_plan
from navicache.evaluation.bench.plan_file import parse_plan
from navicache.generation.job import ModelSource
from navicache.pocket import members
from navicache.pocket.members import MEMBERS, Member, checkpoint_path

PROMPT = "a red ball moves left"


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    return {name: pack(recipe, tmp_path_factory.mktemp(name)).folder for name, recipe in SMALL.items()}


@pytest.fixture(autouse=True)
def family(monkeypatch, folders):
    """The members in miniature, in the places of the real ones."""
    monkeypatch.setattr(navicache.pocket, "checkpoint_path", lambda name="wan": folders[name])
    for name, recipe in SMALL.items():
        size = {"height": recipe.video_format.size, "width": recipe.video_format.size}
        call = {**MEMBERS[name].call, **size, "num_inference_steps": 6}
        monkeypatch.setitem(MEMBERS, name, replace(MEMBERS[name], call=call, caption=PROMPT))


@pytest.mark.parametrize("name", ["hunyuan", "opensora", "cogvideox"])
def test_a_video_of_a_member_needs_no_option(name, tmp_path):
    assert main(["generate", "--model", f"pocket:{name}", "--threshold", "0.5", "--out", str(tmp_path)]) == 0
    assert names_in(tmp_path) == ["trace.json", "video.mp4"]
    assert len(decoded(tmp_path / "video.mp4")) == SMALL[name].video_format.frames


def test_an_image_member_is_compared_as_images(tmp_path, capsys):
    assert main(["generate", "--model", "pocket:unet", "--compare", "--threshold", "0.5", "--out", str(tmp_path)]) == 0
    assert {"image.png", "plain.png", "side_by_side.png", "metrics.json"} <= set(names_in(tmp_path))
    assert json.loads((tmp_path / "metrics.json").read_text())["model"] == "pocket:unet"
    assert "safety" not in capsys.readouterr().err


def test_the_demo_shows_a_member_that_makes_images(tmp_path):
    out = tmp_path / "demo"
    assert main(["demo", "--model", "pocket:unet", "--threshold", "0.5", "--out", str(out)]) == 0
    page = (out / "index.html").read_text()
    assert page.count('<img class="shown"') == 6
    assert "text-to-image model" in page
    assert "<video" not in page


def test_the_demo_is_of_embedded_models_alone(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["demo", "--model", "owner/name"])
    assert "give --model pocket or pocket:NAME" in capsys.readouterr().err


def test_the_doctor_looks_at_open_sora(capsys):
    assert main(["doctor", "pocket:opensora", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["pipeline"] == "OpenSoraPipeline"
    (finding,) = report["findings"]
    assert not finding["sites"]["model"]
    assert not finding["sites"]["blocks"]


def test_a_calibration_of_a_member(tmp_path):
    out = tmp_path / "magcache.json"
    assert main(["calibrate", "--method", "magcache", "--model", "pocket:cogvideox", "--out", str(out)]) == 0
    assert json.loads(out.read_text())["model"] == "CogVideoXTransformer3DModel"


def test_a_member_that_does_not_exist(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["generate", "--model", "pocket:sora"])
    assert "choose from wan, wild, hunyuan, opensora, cogvideox, unet" in capsys.readouterr().err


def test_without_the_package_of_weights_it_is_named(monkeypatch):
    monkeypatch.setattr(members, "find_weights_folder", lambda name: None)
    with pytest.raises(ValueError, match=r"a package of their own, navicache-pocket: run `pip install \./pocket`"):
        checkpoint_path("unet")


def test_a_package_without_the_member_is_to_be_installed_again(monkeypatch):
    monkeypatch.setitem(MEMBERS, "never", Member("never", "WanPipeline", {}))
    with pytest.raises(ValueError, match="never holds no model: install navicache-pocket again"):
        checkpoint_path("never")


def test_pocket_alone_is_wan():
    assert ModelSource("pocket").member == MEMBERS["wan"]
    assert ModelSource("pocket").fps == 8
    assert ModelSource("owner/name").fps == 16


PLAN = """
name = "family"
prompts = { source = "pocket", count = 1 }
models = [
  { name = "wan", model = "pocket" },
  { name = "cog", model = "pocket:cogvideox", call = { guidance_scale = 3.0 } },
]
settings = [{ name = "T", policy = "teacache", calibration = "pocket" }]
"""


def test_a_plan_calls_a_member_as_it_was_trained_and_leaves_wan_as_it_is():
    wan, cog = add_embedded_calls(parse_plan(PLAN)).models
    assert wan.call == {}
    assert cog.call == {**MEMBERS["cogvideox"].call, "guidance_scale": 3.0}


def test_each_member_has_its_own_calibration_or_is_told_how_to_make_one():
    plan = parse_plan(PLAN)
    jobs = [
        job
        for group in expand_plan(plan, [PROMPT])
        for batch in group
        for job in batch
        if job.setting.policy == "teacache"
    ]
    wan, cog = (next(job for job in jobs if job.model.name == name) for name in ("wan", "cog"))
    assert find_calibration(wan) == navicache.pocket.calibration_path("teacache")
    with pytest.raises(ValueError, match="run `navicache calibrate --method teacache --model pocket:cogvideox"):
        find_calibration(cog)
