"""Calls by the clock, on a pipeline that does nothing."""

import contextlib

import numpy as np
import pytest
import torch

from navicache.generation.job import CacheSettings, GenerationJob, ModelSource
from navicache.generation.timed_calls import WARM_UP_STEPS, call_timed, call_timed_batch, sample_arguments, warm_up


class Pipe:
    """Says what it was called with, and makes one video a prompt."""

    def __init__(self):
        self.calls, self.components = [], {}

    def __call__(self, **arguments):
        self.calls.append(arguments)
        prompts = arguments["prompt"] if isinstance(arguments["prompt"], list) else [arguments["prompt"]]
        return (np.zeros((len(prompts), 3, 8, 8, 3)),)


def job(tmp_path, **arguments) -> GenerationJob:
    return GenerationJob(ModelSource(), ("a cat",), arguments, CacheSettings(), tmp_path, seed=7)


def drawn(generator: torch.Generator) -> float:
    return torch.rand(1, generator=generator).item()


def test_one_prompt_is_told_plainly():
    told = sample_arguments({"a cat": 7}, {"negative_prompt": "a dog"})
    assert told.keys() == {"prompt", "generator"} and told["prompt"] == "a cat"
    assert drawn(told["generator"]) == drawn(torch.Generator().manual_seed(7))


def test_each_of_several_prompts_has_the_noise_it_has_by_itself():
    told = sample_arguments({"a cat": 7, "a dog": 8}, {"negative_prompt": "red", "guidance_scale": 4.0})
    assert told["prompt"] == ["a cat", "a dog"] and told["negative_prompt"] == ["red", "red"]
    assert [drawn(own) for own in told["generator"]] == [drawn(torch.Generator().manual_seed(s)) for s in (7, 8)]
    assert "guidance_scale" not in told
    assert "negative_prompt" not in sample_arguments({"a": 1, "b": 2}, {"negative_prompt": ["x", "y"]})


def test_takes_of_one_call_share_its_seconds(tmp_path, monkeypatch):
    clock = iter((10.0, 16.0))
    monkeypatch.setattr("navicache.generation.timed_calls.time.perf_counter", lambda: next(clock))
    takes = call_timed_batch(Pipe(), job(tmp_path), {"a": 1, "b": 2, "c": 3}, shown=False)
    assert [made.call_seconds for made in takes] == [2.0] * 3
    assert {made.loop_seconds for made in takes} == {None}, "a pipeline that shows no loop"
    assert {made.media.frames.shape for made in takes} == {(3, 8, 8, 3)}


def test_what_is_changed_counts_before_what_was_asked(tmp_path):
    pipe = Pipe()
    call_timed(
        pipe, job(tmp_path, num_inference_steps=30, height=8), "a cat", "", {"num_inference_steps": 2}, shown=False
    )
    (call,) = pipe.calls
    assert (call["num_inference_steps"], call["height"], call["output_type"]) == (2, 8, "np")


@pytest.mark.parametrize(("asked", "steps"), [({}, WARM_UP_STEPS), ({"num_inference_steps": 1}, 1)])
def test_the_first_call_is_short(asked, steps, tmp_path, monkeypatch):
    monkeypatch.setattr(CacheSettings, "enable", lambda self, pipe: contextlib.nullcontext())
    pipe = Pipe()
    warm_up(pipe, job(tmp_path, **asked))
    assert [call["num_inference_steps"] for call in pipe.calls] == [steps]
