"""What a benchmark keeps, and for how many prompts."""

from dataclasses import replace

import numpy as np
import pytest
from tests.evaluation.bench.toy import toy_groups
from tests.evaluation.sounds import tone
from tests.support.files import names_in
from tests.support.takes import clip, image, take, trace

from navicache import Trace
from navicache.cli.bench.result_files import BaselineFrames, ResultFiles
from navicache.evaluation.bench.jobs import iterate_jobs
from navicache.generation.media import Media

JOBS = list(iterate_jobs(toy_groups()))


def job(kind="cached", prompt=0):
    return next(job for job in JOBS if job.kind == kind and job.prompt_index == prompt)


def test_a_row_names_the_files_that_were_written(tmp_path):
    files = ResultFiles(tmp_path).write(job(), take(), trace("Cr"))
    assert files == {"video": f"{job().video}.mp4", "trace": str(job().trace)}
    assert (tmp_path / files["video"]).stat().st_size > 0
    assert Trace.load(tmp_path / files["trace"]) == trace("Cr")


@pytest.mark.parametrize(
    ("videos", "traces", "prompt", "kept"),
    [(None, None, 2, (True, True)), (1, 2, 0, (True, True)), (1, 2, 1, (False, True)), (1, 2, 2, (False, False))],
)
def test_the_first_so_many_prompts_are_kept(videos, traces, prompt, kept, tmp_path):
    files = ResultFiles(tmp_path, videos, traces).write(job(prompt=prompt), take(), trace("Cr"))
    assert (files["video"] is not None, files["trace"] is not None) == kept
    assert len(names_in(tmp_path)) == sum(kept)


def test_without_a_cache_there_is_no_trace_and_an_image_is_a_picture(tmp_path):
    files = ResultFiles(tmp_path).write(job("baseline"), take(image()), Trace())
    assert files["video"].endswith(".png") and files["trace"] is None


def test_frames_of_a_baseline_come_back_to_the_bit_from_memory_and_from_the_disk(tmp_path):
    made = Media(np.random.default_rng(0).random(clip().frames.shape, np.float32), is_video=True)
    first = BaselineFrames(tmp_path)
    first.keep(job("baseline"), made)
    assert first.find(job()) == (made.frames, None)
    clip_again, sound = BaselineFrames(tmp_path).find(job())
    assert np.array_equal(clip_again, made.frames) and sound is None


def test_so_does_its_sound(tmp_path):
    BaselineFrames(tmp_path).keep(job("baseline"), replace(clip(), sound=tone()))
    sound = BaselineFrames(tmp_path).find(job()).sound
    assert np.array_equal(sound.samples, tone().samples) and sound.rate == tone().rate


def test_frames_that_are_let_go_are_found_on_the_disk_or_not_at_all(tmp_path):
    references = BaselineFrames(tmp_path)
    references.keep(job("baseline"), clip())
    references.keep_only([])
    assert references.find(job()) is not None
    (tmp_path / job().reference).unlink()
    assert references.find(job()) is not None, "read once, it is in memory"
    references.keep_only([])
    assert references.find(job()) is None
