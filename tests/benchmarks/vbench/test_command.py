"""`python -m benchmarks.vbench` over a stand-in of VBench in another Python: checks, layout, resumption, scores."""

import json
import sys
from pathlib import Path

import pytest
from benchmarks.vbench.command import main
from benchmarks.vbench.scores import DIMENSIONS, QUALITY, aggregate_scores
from tests.support.vbench_package import BALL, CAT, SCORES, calls, order, write_package, write_results

TWO = ("--dimensions", "color", "temporal_flickering")
FAST = "tiny-1/small/fast-one"


@pytest.fixture
def package(tmp_path) -> Path:
    return write_package(tmp_path / "environment")


@pytest.fixture
def python(tmp_path, package) -> Path:
    """Another environment: VBench is there and navicache is not."""
    path = tmp_path / "python"
    path.write_text(f'#!/bin/sh\nPYTHONPATH="{package}" exec "{sys.executable}" -S "$@"\n')  # it starts at once
    path.chmod(0o755)
    return path


@pytest.fixture
def results(tmp_path) -> Path:
    (tmp_path / "results [1]").mkdir()  # a name that glob reads otherwise
    return write_results(tmp_path / "results [1]")


def vbench(results, python, *more) -> int:
    return main([str(results), *map(str, more), "--python", str(python)])


def refused(capsys, *arguments) -> str:
    with pytest.raises(SystemExit) as end:
        main([*map(str, arguments)])
    assert end.value.code == 2
    return capsys.readouterr().err


def saved(results: Path) -> dict:
    return json.loads((results / "vbench.json").read_text())


def test_every_dimension_gets_its_own_videos_and_the_totals_are_the_official_ones(package, python, results, capsys):
    assert vbench(results, python, "--only", "settings=fast") == 0
    given = calls(package)
    assert [call["dimensions"] for call in given] == [[name] for name in DIMENSIONS]
    assert {call["mode"] for call in given} == {"vbench_standard"} and {call["device"] for call in given} == {"cpu"}
    by_name = {call["dimensions"][0]: call for call in given}
    assert by_name["scene"]["files"] == [f"{BALL}-{number}.mp4" for number in range(5)]
    assert by_name["temporal_flickering"]["files"] == [f"{CAT}-{number}.mp4" for number in range(5)]
    assert by_name["color"]["files"] == sorted(f"{text}-{number}.mp4" for text in (BALL, CAT) for number in range(5))

    expected = aggregate_scores(SCORES)
    found = saved(results)
    assert list(found) == [FAST] and found[FAST]["dimensions"] == SCORES
    assert found[FAST]["total"] == pytest.approx(expected.total) and found[FAST]["incomplete"] == {}
    lines = capsys.readouterr().out.splitlines()
    table = dict(line.split() for line in lines if line.startswith((*DIMENSIONS, "total", "quality", "semantic")))
    assert table["color"] == f"{100 * SCORES['color']:.2f}" and table["total"] == f"{100 * expected.total:.2f}"
    assert len(table) == 16 + 3
    assert any("--static-filter" in line for line in lines), "a table of unfiltered videos says so"


def test_videos_are_links_and_show_the_right_seed(python, results, capsys):
    assert vbench(results, python, "--dimensions", "color", "--only", "settings=fast*") == 0
    assert "--static-filter" not in capsys.readouterr().out, "of a dimension that was not scored"
    link = results / "vbench" / "tiny-1.small.fast-one" / "videos" / "color" / f"{BALL}-3.mp4"
    assert link.is_symlink() and not Path(link.readlink()).is_absolute(), "a folder of results may be moved"
    assert link.read_bytes() == f"fast one {BALL} 40".encode(), "the fourth of the seeds"


def test_a_second_run_does_nothing_twice_and_new_videos_are_scored_anew(package, python, results, capsys):
    assert vbench(results, python, *TWO) == 0
    assert len(calls(package)) == 4
    assert vbench(results, python, *TWO) == 0
    assert len(calls(package)) == 4 and "4/4" in capsys.readouterr().err
    (results / "videos/tiny-1/small/fast-one" / f"{CAT}-2.mp4").write_bytes(b"another length")
    assert vbench(results, python, "--dimensions", "color", "scene") == 0
    made = [(call["dimensions"][0], "fast-one" in call["videos_path"]) for call in calls(package)[4:]]
    assert made == [("scene", False), ("color", True), ("scene", True)]
    assert set(saved(results)[FAST]["dimensions"]) == {"color", "scene"}, "the flickering of other videos is left out"


def test_a_failed_dimension_is_told_at_the_end_and_loses_no_other(package, python, results, capsys):
    three = ("--only", "settings=baseline", "--dimensions", "color", "scene", "human_action")
    order(package, fail=["scene"], nan=["color"])
    assert vbench(results, python, *three) == 1
    printed = capsys.readouterr()
    assert "failed: scene of Tiny 1 / small / baseline: RuntimeError: no weights of scene" in printed.err
    assert "failed: color of Tiny 1 / small / baseline: its result has no score of color" in printed.err
    assert "Tiny 1 / small / baseline: no quality, semantic, total: no score of subject_consistency, " in printed.out
    assert saved(results)["tiny-1/small/baseline"]["dimensions"] == {"human_action": SCORES["human_action"]}
    log = results / "vbench" / "tiny-1.small.baseline" / "scene.log"
    assert "Traceback" in log.read_text() and str(log) in printed.err
    order(package)
    assert vbench(results, python, *three) == 0
    assert [call["dimensions"] for call in calls(package)[3:]] == [["color"], ["scene"]]
    assert set(saved(results)["tiny-1/small/baseline"]["dimensions"]) == {"color", "scene", "human_action"}


def test_missing_videos_are_told_all_at_once_before_anything_runs(package, python, results, capsys):
    (results / "videos/tiny-1/small/fast-one" / f"{CAT}-2.mp4").unlink()
    (results / "videos/tiny-1/small/baseline" / f"{BALL}-0.mp4").unlink()
    said = refused(capsys, results, "--python", python, *TWO)
    assert "2 things are wrong, and nothing was run" in said
    assert f"fast one: videos are missing for temporal_flickering (1 of 5), color (1 of 10), as '{CAT}-2.mp4'" in said
    assert f"baseline: videos are missing for color (1 of 10), as '{BALL}-0.mp4'" in said and "--incomplete" in said
    assert calls(package) == [] and not (results / "vbench").exists()


def test_incomplete_scores_are_marked_and_have_no_total_in_the_report(package, python, tmp_path, capsys):
    (tmp_path / "one").mkdir()
    one = write_results(tmp_path / "one", seeds=(3,))
    assert vbench(one, python, "--only", "settings=fast", "--incomplete", "--dimensions", *QUALITY) == 0
    assert calls(package)[0]["files"] == [f"{BALL}-0.mp4"]
    printed = capsys.readouterr().out
    assert (
        f"{100 * aggregate_scores(SCORES).quality:.2f}*" in printed and "not to be compared with published" in printed
    )
    found = saved(one)[FAST]
    assert set(found["dimensions"]) == set(QUALITY) and found["incomplete"]["motion_smoothness"] == [1, 5]
    assert found["quality"] is None, "five videos a prompt, or it is not VBench's"


def test_prompts_that_are_not_vbenchs_are_refused_even_so(python, tmp_path, capsys):
    (tmp_path / "own").mkdir()
    own = write_results(tmp_path / "own", prompts=("a prompt of mine",))
    assert "VBench's prompts" in refused(capsys, own, "--python", python, "--incomplete")


def test_list_says_what_is_there_and_runs_nothing(package, python, results, capsys):
    assert vbench(results, python, "--dimensions", "color") == 0
    (results / "videos/tiny-1/small/fast-one" / f"{CAT}-2.mp4").unlink()
    assert vbench(results, python, "--list", *TWO) == 2
    printed = capsys.readouterr()
    lines = printed.out.splitlines()
    assert "color                10/10 done  9/10" in lines and "temporal_flickering         5/5   4/5" in lines
    assert "3 to score with VBench 0.1.5" in lines and "wrong: Tiny 1 / small / fast one" in printed.err
    assert len(calls(package)) == 2


def test_what_vbench_lacks_is_told_beforehand(package, python, results, capsys, tmp_path):
    (package / "vbench" / "color.py").write_text("import detectron2")
    (package / "vbench" / "scene.py").write_text("import detectron2")
    said = refused(capsys, results, "--python", python)
    assert "color, scene cannot be imported (ModuleNotFoundError: No module named 'detectron2')" in said
    assert calls(package) == []
    assert vbench(results, python, "--dimensions", "temporal_style") == 0, "other dimensions are not asked for"
    (package / "vbench" / "__init__.py").write_text("import decord")
    said = refused(capsys, results, "--python", python)
    assert (
        "no VBench in" in said and "No module named 'decord'" in said and "pip install --no-deps vbench==0.1.5" in said
    )
    assert "cannot be started" in refused(capsys, results, "--python", tmp_path / "nowhere")


def test_wrong_folders_and_names(python, results, tmp_path, capsys):
    assert "holds no rows.jsonl" in refused(capsys, tmp_path, "--python", python)
    assert "no dimension 'colour'" in refused(capsys, results, "--dimensions", "colour")
    assert "--only models=x fits none of: Tiny 1" in refused(capsys, results, "--only", "models=x")
    assert "--only takes models=NAME" in refused(capsys, results, "--only", "color")
