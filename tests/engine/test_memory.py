"""What is kept: at most four latent-sized tensors for the leading stream, two for a follower, none after a run.

Dead reckoning keeps the output before, and what its prediction has missed by.
"""

import gc
import weakref

import pytest
import torch
from tests.engine.toys.engines import Doubler, engine_for

from navicache.engine import CallFacts, StorageOptions
from navicache.policies import Inertial, NaviCache

SIZE = 4096


def kept_bytes(engine) -> dict[str, int]:
    """Bytes held per stream, storages shared with the leading stream counted there."""
    counted: set[int] = set()
    held: dict[str, int] = {}
    for name, stream in engine.run.streams.by_name.items():
        rows = [rows for pair in stream.history for rows in pair]
        rows += [stream.base[1]] if stream.base else []
        rows += [stream.last_error, *([] if held else [engine.run.latent_state.latent])]
        held[name] = 0
        for chunk in (chunk for part in rows for chunk in part):
            if chunk.untyped_storage().data_ptr() not in counted:
                counted.add(chunk.untyped_storage().data_ptr())
                held[name] += chunk.untyped_storage().nbytes()
    return held


def most_kept(policy, keep) -> dict[str, float]:
    """The most either stream of a run with reuses and computes ever held, in latents."""
    now = {"index": 0, "name": ""}
    cached = engine_for(
        Doubler(), policy, keep=keep, describe_call=lambda: CallFacts(now["name"], now["index"], 100, None, now)
    )
    most = {"cond": 0.0, "uncond": 0.0}
    for i in range(12):
        latent = torch.full((1, SIZE), 12.0 - i)
        for name in most:
            now.update(index=i, name=name)
            cached(latent, 1.0, torch.full((1, 3), float(len(name))))
            for stream, size in kept_bytes(cached.engine).items():
                most[stream] = max(most[stream], size / (SIZE * 4))
    computed = cached.engine.trace.runs[0].computed
    assert policy.align_steps <= computed < 12
    return most


@pytest.mark.parametrize(
    ("keep", "lead", "follower"),
    [(StorageOptions(), 4, 2), (StorageOptions(torch.bfloat16), 2, 1)],
    ids=["as they come", "bfloat16"],
)
def test_tensors_kept(keep, lead, follower):
    most = most_kept(NaviCache(threshold=1e9, align_steps=2), keep)
    assert most["cond"] <= lead
    assert most["uncond"] <= follower
    assert most["cond"] > 0


@pytest.mark.parametrize(("amends", "missed"), [(False, 0), (True, 1)], ids=["no amends", "amends"])
@pytest.mark.parametrize("keep", [StorageOptions(), StorageOptions(torch.bfloat16)], ids=["as they come", "bfloat16"])
def test_dead_reckoning_keeps_one_more_output_and_what_is_made_up_for(keep, amends, missed):
    """Beside the latent last seen: an input and two outputs, and what the prediction has missed by."""
    size = 1.0 if keep.dtype is None else 0.5
    most = most_kept(Inertial(threshold=1e9, align_steps=4, amends=amends), keep)
    assert most == {"cond": 1 + (3 + missed) * size, "uncond": (3 + missed) * size}


@pytest.mark.parametrize("rows", ["sample", "call"])
def test_branches_in_one_call_keep_no_more_than_in_two(rows):
    """Differences take the place of outputs, row by row."""
    now = {"index": 0}
    policy = Inertial(threshold=1e9, align_steps=4, rows=rows)
    cached = engine_for(Doubler(), policy, describe_call=lambda: CallFacts("", now["index"], 100, None, now))
    most = 0
    for now["index"] in range(12):
        latent = torch.full((2, SIZE), 12.0 - now["index"])
        cached(latent, 1.0, torch.tensor([[0.0], [1.0]]))
        most = max(most, *kept_bytes(cached.engine).values())
    assert most <= 5 * latent.nbytes


def test_partial_computes_keep_no_more():
    """Samples that compute at different steps share the same references, row by row."""
    policy = Inertial(threshold=0.008, align_steps=3)
    cached = engine_for(lambda x, t: x + torch.sin(x), policy)
    for i in range(24):
        x = torch.stack([torch.full((SIZE,), 1.0 + 0.05 * i), torch.full((SIZE,), 2.0 + 0.3 * i)])
        cached(x, torch.full((2,), 24.0 - i))
        (stream,) = cached.engine.run.streams.by_name.values()
        assert len(stream.history) <= 2
        assert sum(kept_bytes(cached.engine).values()) <= 5 * x.nbytes
    record = cached.engine.trace.runs[0]
    assert record.computed_steps(0) != record.computed_steps(1)
    assert all(3 < len(record.computed_steps(sample)) < 24 for sample in (0, 1))


@pytest.mark.parametrize("wrap", [tuple, list, lambda parts: dict(zip("ab", parts, strict=True))])
def test_the_models_own_outputs_are_let_go(wrap):
    seen: list[weakref.ref] = []

    def model(x, t):
        output = 2 * x
        seen.append(weakref.ref(output))
        return wrap([output, "aux"])

    cached = engine_for(model, NaviCache(threshold=1e9, align_steps=2))
    for i in range(4):
        cached(torch.full((1, 8), 5.0 - i), 5.0 - i)
    gc.collect()
    assert len(seen) == 2
    assert [ref() for ref in seen] == [None] * 2


def test_nothing_survives_the_end_of_a_run():
    seen: list[weakref.ref] = []

    def model(x, t, context):
        output = 2 * x
        seen.append(weakref.ref(output))
        return output

    cached = engine_for(model, NaviCache(threshold=1e9, align_steps=2))
    for i in range(5):
        latent, text = torch.full((1, 8), 5.0 - i), torch.zeros(1, 3)
        cached(latent, 5.0 - i, text)
        seen += [weakref.ref(latent), weakref.ref(text)]
    cached.engine.end_run()
    del latent, text
    gc.collect()
    assert [ref() for ref in seen] == [None] * len(seen)
    assert cached.engine.run is None


def test_a_run_too_short_keeps_nothing():
    cached = engine_for(Doubler(), NaviCache(align_steps=10), describe_call=lambda: CallFacts(total=12))
    for i in range(3):
        cached(torch.full((1, 8), 5.0 - i), 5.0 - i)
    assert cached.engine.run.bypass_reason
    assert not cached.engine.run.streams.by_name
    assert cached.engine.run.latent_state.latent == ()
