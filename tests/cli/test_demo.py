"""`navicache demo` compares on two prompts, and leaves a page and a table."""

import re
from dataclasses import replace

import pytest
from tests.cli.common import STATIC, decoded
from tests.support.files import names_in

from navicache import Trace
from navicache.cli import main
from navicache.pocket import MEMBERS


@pytest.fixture
def small(monkeypatch):
    call = {"num_inference_steps": 50, "guidance_scale": 5.0, "num_frames": 5, "height": 32, "width": 32}
    monkeypatch.setitem(MEMBERS, "wan", replace(MEMBERS["wan"], call=call))


def test_demo_compares_on_two_prompts(small, tmp_path, capsys):
    folder = tmp_path / "new" / "folder"
    assert main(["demo", "--steps", "6", *STATIC, "--out", str(folder)]) == 0
    parts = [folder / "01-a-red-ball-moves-left", folder / "02-a-blue-cat-moves-right"]
    assert sorted(folder.iterdir()) == [*parts, folder / "index.html"]
    printed = capsys.readouterr().out
    page = (folder / "index.html").read_text()
    for part, prompt in zip(parts, ("a red ball moves left", "a blue cat moves right"), strict=True):
        (run,) = Trace.load(part / "trace.json").runs
        assert 1 < run.computed < run.length == 6
        assert names_in(part) == [
            "metrics.json",
            "plain.mp4",
            "side_by_side.mp4",
            "trace.json",
            "trace.png",
            "video.mp4",
        ]
        assert len(decoded(part / "video.mp4")) == 5
        assert re.search(rf"^{prompt} +{run.computed} of 6 +[\d.]+ +[\d.]+ +[\d.]+x +[\d.]+ +[\d.]+ ", printed, re.M)
        assert str(part / "side_by_side.mp4") in printed
        assert f"<h2>{prompt}</h2>" in page
    assert page.count("<video") == 6
    assert not re.search(r'(src|href)="(?!data:)', page), "the page needs nothing beside itself"
    assert str(folder / "index.html") in printed


def test_what_the_cache_says_about_the_model_is_said_once(small, tmp_path, caplog):
    assert main(["demo", "--policy", "navicache", "--steps", "4", "--out", str(tmp_path)]) == 0
    notes = [record.getMessage() for record in caplog.records if record.name == "navicache"]
    assert len(notes) == 1
    assert "unlisted size" in notes[0]
