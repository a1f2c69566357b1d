"""`python -m benchmarks.vbench`: parts of a benchmark together, the static filter, a kill, and the other commands."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from benchmarks.vbench import tasks
from benchmarks.vbench.command import main
from benchmarks.vbench.scores import DIMENSIONS, aggregate_scores
from tests.benchmarks.vbench.test_command import FAST, TWO, saved, vbench
from tests.benchmarks.vbench.test_command import package as package
from tests.benchmarks.vbench.test_command import python as python
from tests.benchmarks.vbench.test_command import results as results
from tests.support.processes import killed_after
from tests.support.vbench_package import BALL, CAT, SCORES, SEEDS, calls, order, write_results

ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
PATIENCE = 120  # seconds, on a busy machine


def test_parts_of_a_benchmark_are_scored_together(package, python, tmp_path):
    parts = [tmp_path / "a", tmp_path / "b"]
    for folder, prompt in zip(parts, (BALL, CAT), strict=True):
        folder.mkdir()
        write_results(folder, settings=("fast one",), prompts=(prompt,))
    assert vbench(parts[0], python, parts[1], "--dimensions", "color") == 0
    assert len(calls(package)[0]["files"]) == 10
    assert saved(parts[0])[FAST]["dimensions"] == {"color": SCORES["color"]} and not (parts[1] / "vbench.json").exists()


def test_the_filter_takes_25_videos_a_prompt_and_scores_what_it_leaves(package, python, results, tmp_path, capsys):
    options = ("--static-filter", "--only", "settings=fast*", "--dimensions", "temporal_flickering", "scene")
    with pytest.raises(SystemExit):
        vbench(results, python, *options)
    assert "temporal_flickering (20 of 25)" in capsys.readouterr().err
    (tmp_path / "more").mkdir()
    more = write_results(tmp_path / "more", prompts=(CAT,), seeds=(*SEEDS, *range(100, 120)))
    assert vbench(results, python, more, *options) == 0
    by_name = {call["dimensions"][0]: call["files"] for call in calls(package)}
    assert by_name["temporal_flickering"] == [f"{CAT}-0.mp4"], "what the stand-in's filter leaves of 25"
    assert by_name["scene"] == [f"{BALL}-{number}.mp4" for number in range(5)], "the others take five as ever"
    assert "--static-filter" not in capsys.readouterr().out and saved(results)[FAST]["static_filter"] is True
    assert vbench(results, python, more, *options[1:]) == 0
    assert len(calls(package)) == 3, "without the filter it is another score"


def test_an_interrupt_leaves_what_is_finished(package, python, results, monkeypatch, capsys):
    begin, first = tasks.score_dimension, ("--only", "settings=fast", "--dimensions", *DIMENSIONS[:4])

    def interrupted(installed, kept, dimension, *rest):
        if dimension == "motion_smoothness":
            raise KeyboardInterrupt
        begin(installed, kept, dimension, *rest)

    with monkeypatch.context() as patched, pytest.raises(SystemExit) as end:
        patched.setattr(tasks, "score_dimension", interrupted)
        vbench(results, python, *first)
    assert end.value.code == 130 and len(calls(package)) == 3
    assert vbench(results, python, *first) == 0
    assert [call["dimensions"][0] for call in calls(package)] == list(DIMENSIONS[:4])


@pytest.mark.slow
def test_a_kill_in_the_middle_leaves_what_is_finished_and_no_child(package, python, results):
    order(package, hang=["motion_smoothness"])
    arguments = [str(results), "--python", str(python), "--only", "settings=fast"]
    command = [sys.executable, "-m", "benchmarks.vbench", *arguments]
    process = subprocess.Popen(command, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True)
    with killed_after(process, PATIENCE):
        while len(calls(package)) < 4 and process.poll() is None:
            time.sleep(0.1)
        child = _child_of(process.pid)
        process.send_signal(signal.SIGKILL)
        process.communicate()
    _wait_for_end_of(child)
    kept = results / "vbench" / "tiny-1.small.fast-one"
    assert sorted(path.name for path in kept.glob("*_eval_results.json")) == [
        f"{name}_eval_results.json" for name in ("background_consistency", "subject_consistency", "temporal_flickering")
    ]
    order(package)
    assert main([*arguments]) == 0
    assert [call["dimensions"][0] for call in calls(package)] == [*DIMENSIONS[:4], *DIMENSIONS[3:]]
    assert saved(results)[FAST]["total"] == pytest.approx(aggregate_scores(SCORES).total)


def _child_of(parent: int) -> int:
    return int(Path(f"/proc/{parent}/task/{parent}/children").read_text().split()[0])


def _wait_for_end_of(process: int) -> None:
    limit = time.monotonic() + PATIENCE
    while (status := Path(f"/proc/{process}/status")).exists() and "State:\tZ" not in status.read_text():
        assert time.monotonic() < limit, "the child of a killed process goes on"
        time.sleep(0.1)


def test_two_at_a_time_are_refused(package, python, results, capsys):
    from navicache.evaluation.bench.session import lock_folder

    (results / "vbench").mkdir()
    with lock_folder(results / "vbench"), pytest.raises(SystemExit):
        vbench(results, python, "--dimensions", "color")
    assert capsys.readouterr().err.rstrip().endswith("vbench: wait for it") and calls(package) == []


def test_raw_results_of_another_place_are_taken_in(python, results, tmp_path, capfd):
    assert vbench(results, python, "--only", "settings=fast", *TWO) == 0
    scores = saved(results)[FAST]["dimensions"]
    (tmp_path / "other").mkdir()
    out = write_results(tmp_path / "other", settings=("fast one",))
    (out / "vbench.json").write_text('{"tiny-1/small/other": {"total": 0.5}}')
    assert main([str(out), "--results", str(results / "vbench")]) == 0
    found = saved(out)
    assert found[FAST]["dimensions"] == scores and set(scores) == {"color", "temporal_flickering"}
    assert found["tiny-1/small/other"] == {"total": 0.5}
    with pytest.raises(SystemExit):
        main([str(out), "--results", str(tmp_path / "nowhere")])
    assert "no folder" in capfd.readouterr().err
