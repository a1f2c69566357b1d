"""Dead reckoning through the engine: several references, and products of their moves."""

import math
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from tests.engine.toys import Custom, engine_for
from torch import Tensor, nn

import navicache
from navicache.engine import Host, Keep
from navicache.engine.tensors.rows import mean_product
from navicache.policies import DeadReckoning, ErrorGate, Inertial, OutputHold, Taylor
from navicache.policies.fixed import IndexGate

STEPS = 40


@dataclass(frozen=True)
class Told(IndexGate):
    """Computes the steps it is told, and learns at once."""

    steps: tuple[int, ...] = ()
    reads: frozenset = frozenset({"since_seen"})

    def due(self, step):
        return step.index in self.steps


def line(x: Tensor, t: float) -> Tensor:
    """Straight in the step index, in whole numbers: nothing is ever rounded."""
    return torch.arange(1.0, 9.0).expand(x.shape) * (STEPS - t) - 64


def latent(i: int, shape: tuple[int, ...] = (1, 4, 8)) -> Tensor:
    return torch.full(shape, float(STEPS - i))


def run(cache, shape: tuple[int, ...] = (1, 4, 8), steps: int = STEPS) -> list[Tensor]:
    return [cache(latent(i, shape), float(STEPS - i)) for i in range(steps)]


def errors(outputs: list[Tensor], model, shape: tuple[int, ...] = (1, 4, 8)) -> list[float]:
    truth = [model(latent(i, shape), float(STEPS - i)) for i in range(len(outputs))]
    return [(y - o).abs().mean().item() for y, o in zip(truth, outputs, strict=True)]


def damping(cache) -> float:
    """What the leading sample believes."""
    (decider,) = engine_of(cache).run.deciders.kept.values()
    return decider.predictors[0].damping.mean


def engine_of(cache):
    return cache.engine if hasattr(cache, "engine") else cache._attachments[""].engine


# -- a line and a jump -------------------------------------------------------------------------------------------------


def test_a_straight_output_is_predicted_exactly_and_mostly_reused():
    cache = navicache.enable(line, "inertial", threshold=0.01, steps=STEPS)
    outputs = run(cache)
    size = torch.stack(outputs).abs().mean().item()
    assert max(errors(outputs, line)) < 1e-6 * size
    (record,) = cache.trace.runs
    assert record.computed < STEPS / 3
    assert record.computed_steps()[:3] == (0, 1, 2)
    # In alignment the first guess is the output held, the others are right; so later on is every compute's.
    assert record.column("reuse_error")[1] > 0.01
    assert max(e for e in record.column("reuse_error")[2:] if e is not None) < 1e-6


@pytest.mark.parametrize(("predictor", "exact_from"), [(DeadReckoning(), 2), (Taylor(1), 2), (Taylor(2), 3)])
@pytest.mark.parametrize("steps", [(0, 1, 2, 3, 9, 11, 24), (0, 1, 2, 7, 8, 20, 26, 27, 28)])
def test_a_straight_output_whatever_the_gaps(predictor, exact_from, steps):
    cached = engine_for(line, Custom(Told(steps=steps), predictor))
    outputs = run(cached)
    assert max(errors(outputs, line)[exact_from:]) < 1e-4
    assert cached.engine.trace.runs[0].computed_steps() == steps


def test_a_parabola_is_predicted_exactly_by_a_taylor_of_degree_two():
    def parabola(x, t):
        return line(x, t) + 2 * (STEPS - t) ** 2

    for predictor, exact in ((Taylor(2), True), (Taylor(1), False)):
        cached = engine_for(parabola, Custom(Told(steps=(0, 1, 2, 3, 9, 11, 24)), predictor))
        assert (max(errors(run(cached), parabola)[3:]) < 1e-2) == exact


class Jumps:
    """A random walk: what comes next has nothing to do with what came before."""

    def __init__(self, seed: int, rest: float = 0.0) -> None:
        generator = torch.Generator().manual_seed(seed)
        steps = torch.randn(STEPS + 1, 4, 1024, generator=generator)
        self.outputs = 3 + (steps if rest else steps.cumsum(0))

    def __call__(self, x: Tensor, t: float) -> Tensor:
        return self.outputs[round(STEPS - t)].expand(x.shape)


@pytest.mark.parametrize("rest", [False, True], ids=["random walk", "white noise"])
def test_where_the_output_jumps_it_falls_back_to_holding_it(rest):
    shape = (1, 4, 32, 32)

    def model(x, t, jumps=Jumps(0, rest)):  # noqa: B008
        return jumps(x.flatten(2), t).reshape(shape)

    # White noise is as far from the reference after one step as after ten, so any tolerance beyond that will do.
    cache = navicache.enable(model, "inertial", threshold=40.0, align_steps=6, steps=STEPS)
    outputs = run(cache, shape, STEPS - 1)
    assert damping(cache) < 0.1
    computed = cache.trace.runs[0].computed_steps()
    assert 6 <= len(computed) < STEPS - 10
    held = run(engine_for(model, Custom(Told(steps=computed), OutputHold())), shape, STEPS - 1)
    ours, theirs = (sum(errors(each, model, shape)[8:]) for each in (outputs, held))
    assert ours == pytest.approx(theirs, rel=0.05)
    undamped = run(engine_for(model, Custom(Told(steps=computed), Taylor(1))), shape, STEPS - 1)
    assert sum(errors(undamped, model, shape)[8:]) > 1.5 * theirs


# -- batches, streams and lists ----------------------------------------------------------------------------------------


class Curved(nn.Module):
    """A nonlinear model, so that samples of different size need computing at different steps."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[int] = []

    def forward(self, x, t, context):
        self.rows.append(len(x))
        if isinstance(x, list):
            return [bend(row, time, text.mean()) for row, time, text in zip(x, t, context, strict=True)]
        return bend(x, t.reshape(-1, 1, 1, 1), context.mean(-1).reshape(-1, 1, 1, 1))


def bend(x, t, bias):
    channels = torch.arange(1.0, 4.0).reshape(3, 1, 1)
    return torch.sin(x * 0.7 * channels) * x + bias * torch.cos(x) + t * 0.02


def course(sample: int, i: int) -> Tensor:
    generator = torch.Generator().manual_seed(sample)
    start, slope = torch.randn(2, 1, 3, 2, 4, generator=generator) * torch.tensor([2.0, 0.4 + 0.8 * sample]).view(
        2, 1, 1, 1, 1
    )
    return start + slope * i / 24


SAMPLES = (0, 1, 2, 3)
THRESHOLD = 0.03  # of the accumulated error: every sample computes some steps and reuses others
GATE = ErrorGate(threshold=THRESHOLD)
POLICIES = {
    "inertial": Inertial(threshold=THRESHOLD),
    "inertial from two": Inertial(threshold=THRESHOLD, align_steps=2),
    "inertial, no amends": Inertial(threshold=THRESHOLD, amends=False),
    "inertial, each step's error": Inertial(max_error=0.1),
    "parabola": Custom(GATE, Taylor(2)),
    "cubic from two": Custom(GATE, Taylor(3)),
}
every_policy = pytest.mark.parametrize("name", POLICIES)


def generation(policy, samples, *, streams=("cond",), branches: int = 1, listed: bool = False, steps: int = 24, **more):
    """A run of some samples; outputs are listed step by step and stream by stream."""
    model, now = Curved(), {"index": 0, "name": ""}
    surroundings = lambda: Host(now["name"], now["index"], steps, None, now)  # noqa: E731
    cached = engine_for(model, policy, surroundings=surroundings, **more)
    outputs = []
    for i in range(steps):
        x = torch.cat([course(sample, i) for sample in samples] * branches)
        t = torch.full((len(x),), float(steps - i))
        for number, name in enumerate(streams):
            now.update(index=i, name=name)
            texts = torch.tensor([0.3 * b + 0.5 * number for b in range(branches) for _ in samples])
            context = texts.reshape(-1, 1).expand(-1, 5)
            if listed:
                rows = [row.repeat(1, 1 + sample % 2, 1) for row, sample in zip(x, samples, strict=True)]
                outputs.append(list(cached(rows, t, list(context))))
            else:
                outputs.append(list(cached(x, t, context)))
    return outputs, cached.engine.trace.runs[-1], model


def check_batch(policy, **how):
    """Every sample as if it were alone."""
    branches = how.get("branches", 1)
    together, record, model = generation(policy, SAMPLES, **how)
    assert record.samples == len(SAMPLES)
    schedules = []
    for position, sample in enumerate(SAMPLES):
        alone, single, _ = generation(policy, [sample], **how)
        assert record.computed_steps(position) == single.computed_steps()
        schedules.append(single.computed_steps())
        for batch, one in zip(together, alone, strict=True):
            for branch in range(branches):
                torch.testing.assert_close(batch[position + branch * len(SAMPLES)], one[branch], rtol=1e-5, atol=1e-5)
    assert len(set(schedules)) > 1, "the samples must not all agree, or the test shows nothing"
    assert any(0 < rows < len(SAMPLES) * branches for rows in model.rows), "some calls must be partial"
    assert all(len(schedule) < record.length for schedule in schedules)


@every_policy
def test_a_batch_equals_its_samples_one_by_one(name):
    check_batch(POLICIES[name])


@every_policy
def test_two_streams_of_a_batch(name):
    check_batch(POLICIES[name], streams=("cond", "uncond"))


@every_policy
def test_branches_in_one_call(name):
    check_batch(POLICIES[name], branches=2)


@every_policy
def test_lists_of_rows_of_different_size(name):
    check_batch(POLICIES[name], listed=True)


@every_policy
def test_streams_are_predicted_each_from_its_own(name):
    """The first decides and learns for both; what is carried on is everyone's own."""
    both, record, _ = generation(POLICIES[name], [1], streams=("cond", "uncond"))
    alone, single, _ = generation(POLICIES[name], [1])
    assert record.computed_steps(stream="uncond") == record.computed_steps() == single.computed_steps()
    assert all(torch.equal(a[0], b[0]) for a, b in zip(both[::2], alone, strict=True))
    reused = sorted(set(range(24)) - set(single.computed_steps()))
    model, errors, apart = Curved(), [], []
    for i in reused:
        truth = model(course(1, i), torch.tensor([24.0 - i]), torch.full((1, 5), 0.5))
        errors.append((both[2 * i + 1][0] - truth[0]).abs().mean().item())
        apart.append((both[2 * i][0] - truth[0]).abs().mean().item())
    assert sum(errors) < 0.6 * sum(apart), "predicted from the other stream it would be that far off"


def test_partial_computes_keep_every_samples_own_references():
    """Straight lines at different speeds, computed at different steps: one wrong reference would show at once."""
    schedule = {0: (0, 1, 2, 9, 10, 20), 1: (0, 1, 5, 6, 14), 2: (0, 1, 2, 3, 17)}

    @dataclass(frozen=True)
    class Each(Told):
        rows: Any = "sample"

        def due(self, step):
            return step.index in schedule[round(step.output_size or 0) // 1000] if step.index > 1 else True

    def model(x, t):
        # A sample is known by the size of its output: 0, 1000 or 2000, and a little for its course.
        number = x[:, :1, :1] // 100
        return number * 1000 + (STEPS - t.reshape(-1, 1, 1)) * (number + 1) * torch.arange(1.0, 4.0).view(1, 3, 1) * 0.5

    for predictor in (DeadReckoning(), Taylor(1), Taylor(2), Taylor(3)):
        calls = []

        def counted(x, t, calls=calls):
            calls.append(len(x))
            return model(x, t).expand(x.shape)

        cached = engine_for(counted, Custom(Each(), predictor))
        for i in range(26):
            courses = [100.0 * sample + (i + 1) * (0.5 + 0.1 * sample) for sample in range(3)]
            x = torch.tensor(courses, dtype=torch.float64).reshape(3, 1, 1).expand(3, 3, 4).clone()
            t = torch.full((3,), float(STEPS - i))
            output = cached(x, t)
            error = (output - model(x, t)).abs().max().item()
            assert error < 1e-3, f"{predictor}, step {i}"
        record = cached.engine.trace.runs[-1]
        assert {sample: record.computed_steps(sample) for sample in range(3)} == schedule
        assert set(calls) == {1, 2, 3}


# -- how it is kept ----------------------------------------------------------------------------------------------------


@every_policy
@pytest.mark.parametrize(
    ("keep", "tolerance"),
    [(Keep(torch.bfloat16), 0.5), (Keep(torch.float16), 0.05), (Keep(device=torch.device("cpu")), 0.0)],
    ids=["bfloat16", "float16", "cpu"],
)
def test_kept_tensors_can_be_stored_otherwise(name, keep, tolerance):
    plain, record, _ = generation(POLICIES[name], [1])
    # Rounding may tip a decision; so the steps are those of the run without it.
    predictor = POLICIES[name].schemes()[0].predictor
    told = Custom(Told(steps=record.computed_steps()), predictor, apart=True)
    exact, same, _ = generation(told, [1])
    kept, _, _ = generation(told, [1], keep=keep)
    assert same.computed_steps() == record.computed_steps()
    for a, b, c in zip(plain, exact, kept, strict=True):
        assert torch.equal(a[0], b[0])
        assert c[0].dtype == torch.float32
        assert (b[0] - c[0]).abs().max().item() <= tolerance
    rounded = any(not torch.equal(b[0], c[0]) for b, c in zip(exact, kept, strict=True))
    assert rounded == (keep.dtype is not None)


def test_stored_through_enable():
    outputs = {}
    for keep in ({}, {"keep_device": "cpu"}, {"keep_dtype": torch.bfloat16}):
        cache = navicache.enable(line, "inertial", threshold=0.01, steps=STEPS, **keep)
        outputs[str(keep)] = torch.stack(run(cache))
        assert cache.trace.runs[0].computed < STEPS / 2
    plain, cpu, rounded = outputs.values()
    assert torch.equal(plain, cpu)
    assert (plain - rounded).abs().max() < 8  # bfloat16 is off by one in 256, and 200 is carried on


def test_moves_kept_on_another_device_are_brought_to_the_new_one():
    """References on the CPU, the output on an accelerator: "meta" stands for it, where only shapes are worked out."""
    there, here = torch.ones(2, 3, 4, device="meta"), torch.ones(2, 3, 4)
    reading = mean_product((there,), (here,))
    assert reading.tensor is not None
    assert reading.tensor.device.type == "meta"
    assert reading.tensor.shape == (2,)


@pytest.mark.parametrize("shape", [(1, 6), (1, 5, 6), (1, 6, 5), (1, 6, 2, 2), (1, 6, 2, 2, 2)])
def test_latents_of_any_dimensions(shape):
    cache = navicache.enable(lambda x, t: torch.sin(x / 40) + x, "inertial", threshold=0.02, steps=STEPS)
    outputs = run(cache, shape)
    assert 3 < cache.trace.runs[0].computed < STEPS
    assert all(output.shape == shape and output.isfinite().all() for output in outputs)
    assert damping(cache) == pytest.approx(1.0, abs=0.1), "nearly a line"


# -- what cannot be trusted --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [math.nan, math.inf])
@pytest.mark.parametrize("at", [0, 2, 4, 5])
def test_one_useless_output_is_never_carried_on(at, bad):
    """It is a reference for as long as two computes, and a NaN times anything stays one."""
    calls = []

    def model(x, t):
        calls.append(round(STEPS - t))
        output = line(x, t) + 0.2 * torch.sin(x)
        if len(calls) - 1 == at:
            output[..., 0] = bad
        return output

    cache = navicache.enable(model, "inertial", threshold=0.01, steps=STEPS)
    outputs = run(cache)
    broken = [i for i, output in enumerate(outputs) if not output.isfinite().all()]
    assert broken == [calls[at]], "only the useless answer itself"
    assert len(calls) < STEPS, "later steps are reused again"
    assert math.isfinite(damping(cache))
    assert "NaN or infinite" in " ".join(cache.summary().split())


def test_a_useless_output_of_one_sample_is_its_own_affair():
    def spoilt(x, t, context):
        output = bend(x, t.reshape(-1, 1, 1, 1), context.mean(-1).reshape(-1, 1, 1, 1))
        hit = (t == 14.0) & (x[:, 0, 0, 0] == course(1, 10)[0, 0, 0, 0])
        return torch.where(hit.reshape(-1, 1, 1, 1), torch.nan, output)

    policy = Custom(Told(steps=(0, 1, 2, 3, 10, 11, 12, 18), rows="sample"), DeadReckoning())
    cached = engine_for(spoilt, policy)
    for i in range(24):
        x = torch.cat([course(sample, i) for sample in (0, 1)])
        output = cached(x, torch.full((2,), 24.0 - i), torch.zeros(2, 5))
        assert output[0].isfinite().all()
        assert output[1].isfinite().all() == (i != 10)
    record = cached.engine.trace.runs[-1]
    assert record.computed_steps(0) == (0, 1, 2, 3, 10, 11, 12, 18)


@pytest.mark.parametrize("listed", [False, True], ids=["tensor", "list"])
@pytest.mark.parametrize("predictor", [DeadReckoning(), Taylor(1)])
def test_a_useless_output_of_one_sample_is_never_carried_on_beside_others(predictor, listed):
    """It is kept as an older reference: its weight is zero in its own row, and not in those of the others."""

    def spoilt(x, t):
        rows = [torch.full_like(row, float(STEPS - time)) for row, time in zip(x, t, strict=True)]
        rows = [row.fill_(torch.nan) if own[0, 0] == 107 else row for row, own in zip(rows, x, strict=True)]
        return rows if listed else torch.stack(rows)

    steps = (0, 1, 2, 3, 7, 12)
    cached = engine_for(spoilt, Custom(Told("sample", steps=steps), predictor))
    for i in range(16):
        x = torch.tensor([float(i), 100.0 + i]).view(2, 1, 1).expand(2, 3, 4).clone()
        first, second = cached(list(x) if listed else x, torch.full((2,), float(STEPS - i)))
        assert first.isfinite().all()
        assert second.isfinite().all() == (i != 7), f"step {i}"
    record = cached.engine.trace.runs[-1]
    assert [record.computed_steps(sample) for sample in (0, 1)] == [steps, (0, 1, 2, 3, 7, 8, 12)]


@pytest.mark.parametrize("apart", [False, True], ids=["together", "apart"])
@pytest.mark.parametrize("predictor", [DeadReckoning(), Taylor(1), Taylor(2)])
def test_a_stream_that_joins_at_a_compute_has_not_all_references(predictor, apart):
    """Its newest reference is the leader's, the older ones are not: it must neither be predicted nor teach."""
    now = {"index": 0, "name": ""}
    policy = Custom(Told(steps=(0, 1, 2, 6, 12, 13, 14)), predictor, apart=apart)
    cached = engine_for(line, policy, surroundings=lambda: Host(now["name"], now["index"], STEPS, None, now))
    for i in range(20):
        # The second stream appears at step 6, and from step 12 on it leads.
        for name in ("cond",) if i < 6 else ("cond", "uncond") if i < 12 else ("uncond", "cond"):
            now.update(index=i, name=name)
            output = cached(latent(i), float(STEPS - i))
            torch.testing.assert_close(output, line(latent(i), float(STEPS - i)), rtol=0, atol=1e-3)
    (decider,) = cached.engine.run.deciders.kept.values()
    if isinstance(predictor, DeadReckoning):
        assert decider.predictors[0].damping.mean == pytest.approx(1.0, abs=1e-6)
    record = cached.engine.trace.runs[-1]
    assert record.computed_steps(stream="uncond")[:7] == (6, 7, 8, 9, 10, 11, 12)
    assert set(range(16, 20)).isdisjoint(record.computed_steps(stream="uncond")), "in the end it is reused too"


@pytest.mark.parametrize("apart", [False, True], ids=["together", "apart"])
def test_a_stream_that_joins_late_is_reused_from_the_next_compute_on(apart):
    """The leader never computes twice in a row after step 2, so the newcomer must go by its own gaps."""
    now = {"index": 0, "name": ""}
    policy = Custom(Told(steps=(0, 1, 2, 6, 10, 14, 18)), DeadReckoning(), apart=apart)
    cached = engine_for(line, policy, surroundings=lambda: Host(now["name"], now["index"], STEPS, None, now))
    for i in range(20):
        for name in ("cond",) if i < 7 else ("cond", "uncond"):
            now.update(index=i, name=name)
            output = cached(latent(i), float(STEPS - i))
            torch.testing.assert_close(output, line(latent(i), float(STEPS - i)), rtol=0, atol=1e-3)
    record = cached.engine.trace.runs[-1]
    assert record.computed_steps(stream="uncond") == (7, 8, 9, 10, 14, 18)
