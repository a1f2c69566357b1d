"""A visitor's run on a tiny model: both takes, nothing left behind, and an end at any step."""

import numpy as np
import pytest
import torch
from tests.studio.toys import Loaded, job_of, listening

import navicache.pocket
from navicache.generation.job import ModelSource
from navicache.generation.loading import load_pipeline
from navicache.integrations.diffusers import find_cache_hook
from navicache.studio.monitor import RunMonitor, RunStopped, RunTooLong
from navicache.studio.request import MAX_ERROR, QUALITY
from navicache.studio.request_run import run_request


@pytest.fixture(scope="module")
def pipe(wan_folder):
    loaded = load_pipeline(ModelSource(str(wan_folder)))
    bare(loaded)  # what a first call leaves, in the VAE too, is not the studio's
    return loaded


@pytest.fixture(autouse=True)
def left_as_it_was(pipe):
    """Whatever a test does, the pipeline is the same object with the same attributes afterwards."""

    def attributes():
        parts = {name: part for name, part in pipe.components.items() if isinstance(part, torch.nn.Module)}
        return set(vars(pipe)) - CALL, {name: (set(vars(part)), part.training) for name, part in parts.items()}

    before = attributes()
    yield
    assert attributes() == before


# What any call of a diffusers pipeline leaves on it, with or without a studio.
CALL = {"_guidance_scale", "_guidance_scale_2", "_attention_kwargs", "_current_timestep", "_interrupt"}
CALL |= {"_num_timesteps", "_progress_bar_config"}


def run(pipe, plain=None, **changed):
    monitor, news = listening()
    return run_request(job_of(**changed), Loaded(pipe), plain, monitor), news


def doing(news):
    return list(dict.fromkeys(each.doing for each in news))


def bare(pipe):
    arguments = dict(job_of().arguments)
    noise = torch.Generator().manual_seed(0)
    return pipe("a red ball moves left", output_type="np", return_dict=False, generator=noise, **arguments)[0][0]


def test_off_is_bit_equal_to_no_studio_at_all(pipe):
    made, _ = run(pipe, speedup=1.0)
    assert np.array_equal(made.pair.cached.media.frames, made.pair.plain.media.frames)
    assert np.array_equal(made.pair.plain.media.frames, bare(pipe)), "neither callback nor preview touch the run"
    assert made.steps == {"total": 8, "computed": 8, "reused": 0}


@pytest.fixture(scope="module")
def half(pipe):
    """A whole run, with speed-up 2."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(navicache.pocket, "find_unknown_words", lambda text: [])
        yield run(pipe, speedup=2.0)


def test_the_target_is_met_and_told_live(half):
    made, news = half
    assert made.steps["computed"] == 4 and made.quality.psnr < 100
    assert doing(news) == ["", "warming up", "no cache", "with the cache", "measuring"]
    squares = [each.squares for each in news if each.doing == "with the cache"]
    assert [len(each) for each in squares] == [*range(9)]
    (record,) = made.pair.trace.runs
    assert squares[-1] == tuple(step.computed for step in record.steps_of())
    pictures = [each.picture for each in news if each.picture is not None]
    assert pictures and pictures[0].shape == (32, 48, 3)


@pytest.mark.slow
@pytest.mark.parametrize("target", [{"target": QUALITY, "quality": "fast"}, {"target": MAX_ERROR, "max_error": 0.2}])
def test_other_targets_run(pipe, target):
    made, _ = run(pipe, **target)
    assert made.steps["total"] == 8 and made.policy == "inertial"


def test_a_kept_plain_run_is_not_run_again(pipe, half):
    first, _ = half
    again, news = run(pipe, first.pair.plain, speedup=1.3)
    assert doing(news) == ["", "with the cache", "measuring"]
    assert again.pair.plain is first.pair.plain and again.steps["computed"] > first.steps["computed"]


@pytest.mark.parametrize(
    "phase",
    [
        pytest.param("warming up", marks=pytest.mark.slow),
        pytest.param("no cache", marks=pytest.mark.slow),
        "with the cache",
    ],
)
def test_a_stop_ends_at_the_next_step(pipe, phase):
    monitor, news = listening()

    def tell(each):
        news.append(each)
        if each.doing == phase and len(each.squares) == 1:
            monitor.stop.set()

    monitor.publish = tell
    with pytest.raises(RunStopped):
        run_request(job_of(), Loaded(pipe), None, monitor)
    assert (news[-1].doing, len(news[-1].squares)) == (phase, 1)
    assert find_cache_hook(pipe.transformer) is None


@pytest.mark.parametrize("phase", ["no cache", "with the cache"])
def test_a_pipeline_without_a_callback_is_bounded_too(pipe, phase, monkeypatch):
    before, calls, made = bare(pipe), [], []
    monkeypatch.setattr(RunMonitor, "callback_arguments", lambda *_: {})
    monitor, _ = listening()

    def count(*_):
        calls.append(monitor.news.doing)
        if calls.count(phase) == 3:
            monitor.deadline = 0.0

    handle = pipe.transformer.register_forward_pre_hook(count)
    over = pipe.transformer.register_forward_hook(lambda *_: made.append(monitor.news.doing))
    with pytest.raises(RunTooLong):
        run_request(job_of(), Loaded(pipe), None, monitor)
    assert calls.count(phase) == 3 and calls[-1] == phase
    assert made.count(phase) == 2, "the third call is not made"
    assert find_cache_hook(pipe.transformer) is None and [*pipe.transformer._forward_pre_hooks] == [handle.id]
    handle.remove()
    over.remove()
    assert np.array_equal(bare(pipe), before)


def test_an_error_in_mid_run_leaves_nothing_behind(pipe):
    monitor, _ = listening()

    def fail(each):
        if each.doing == "with the cache" and len(each.squares) == 2:
            raise RuntimeError("the screen fell down")

    monitor.publish = fail
    with pytest.raises(RuntimeError, match="fell down"):
        run_request(job_of(), Loaded(pipe), None, monitor)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"frames": 6}, r"frames must be 4k\+1"),
        ({"height": 33}, "height must be a multiple of 16"),
        ({"prompt": "a green ball"}, "does not know: 'green'"),
    ],
)
def test_what_only_the_model_can_refuse_is_refused_before_a_step(pipe, changed, said):
    calls = []
    handle = pipe.transformer.register_forward_pre_hook(lambda *_: calls.append(1))
    try:
        with pytest.raises(ValueError, match=said):
            run(pipe, **changed)
    finally:
        handle.remove()
    assert calls == []
