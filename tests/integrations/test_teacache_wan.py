"""TeaCache on Wan: its signal is the embedded time, so that its schedule is a table."""

import torch
from tests.tiny.wan import WAN

import navicache

STEPS, THRESHOLD = 20, 0.25
COEFFICIENTS = (2.0, -1.0, 0.5, 0.9, 0.01)


def schedule(pipe):
    """The rule of the script, from the embedded timesteps alone."""
    pipe.scheduler.set_timesteps(STEPS)
    embedder = pipe.transformer.condition_embedder
    with torch.no_grad():
        embedded = [embedder.time_embedder(embedder.timesteps_proj(t[None]).float()) for t in pipe.scheduler.timesteps]
    computed, total = [0], 0.0
    for i in range(1, STEPS - 1):
        now, before = embedded[i], embedded[i - 1]
        change = ((now - before).abs().mean() / before.abs().mean()).item()
        total += sum(c * change**power for c, power in zip(COEFFICIENTS, range(4, -1, -1), strict=True))
        if total >= THRESHOLD:
            computed.append(i)
            total = 0.0
    return (*computed, STEPS - 1)


def test_the_schedule_depends_on_neither_prompt_nor_seed():
    pipe = WAN.build(scheduler="euler")
    expected = schedule(pipe)
    assert 4 < len(expected) < STEPS - 4
    knobs = {"threshold": THRESHOLD, "coefficients": COEFFICIENTS, "signal": "time"}
    with navicache.enable(pipe, "teacache", **knobs) as cache:
        for prompt, seed in (("a cat", 0), ("a dog", 1), ("rain on a roof", 2)):
            WAN.call(pipe, steps=STEPS, prompt=prompt, seed=seed)
            run = cache.trace.runs[-1]
            assert run.computed_steps() == expected
            branches = {stream: [s.computed for s in run.steps if s.stream == stream] for stream in ("cond", "uncond")}
            assert branches["cond"] == branches["uncond"]


def test_the_projected_time_is_another_signal():
    pipe = WAN.build(scheduler="euler")
    counts = {}
    for signal in ("time", "time_projection", "modulated"):
        with navicache.enable(pipe, "teacache", threshold=0.2, signal=signal) as cache:
            WAN.call(pipe, steps=STEPS)
        counts[signal] = cache.trace.runs[-1].computed_steps()
    assert len(set(counts.values())) == 3


def test_nothing_listens_after_the_cache_is_off():
    pipe = WAN.build()
    with navicache.enable(pipe, "teacache", signal="time"):
        assert pipe.transformer.condition_embedder.time_embedder._forward_hooks
    assert not pipe.transformer.condition_embedder.time_embedder._forward_hooks
