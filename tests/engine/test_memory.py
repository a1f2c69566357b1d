"""What is kept: at most four latent-sized tensors for the leading stream, two for a follower, none after a run."""

import gc
import weakref

import pytest
import torch
from tests.engine.toys import Doubler, engine_for

from navicache.engine import Host, Keep
from navicache.policies import NaviCache

SIZE = 4096


def kept_bytes(engine) -> dict[str, int]:
    """Bytes held per stream, storages shared with the leading stream counted there."""
    counted: set[int] = set()
    held: dict[str, int] = {}
    for name, stream in engine.run.streams.items():
        rows = [rows for pair in stream.history for rows in pair]
        rows += [stream.base[1]] if stream.base else []
        rows += [engine.run.last_seen] if not held else []
        held[name] = 0
        for chunk in (chunk for part in rows for chunk in part):
            if chunk.untyped_storage().data_ptr() not in counted:
                counted.add(chunk.untyped_storage().data_ptr())
                held[name] += chunk.untyped_storage().nbytes()
    return held


@pytest.mark.parametrize(
    ("keep", "lead", "follower"), [(Keep(), 4, 2), (Keep(torch.bfloat16), 2, 1)], ids=["as they come", "bfloat16"]
)
def test_tensors_kept(keep, lead, follower):
    now = {"index": 0, "name": ""}
    cached = engine_for(
        Doubler(),
        NaviCache(threshold=1e9, align_steps=2),
        keep=keep,
        surroundings=lambda: Host(now["name"], now["index"], 100, None, now),
    )
    most = {"cond": 0, "uncond": 0}
    for i in range(6):
        latent = torch.full((1, SIZE), 6.0 - i)
        for name in most:
            now.update(index=i, name=name)
            cached(latent, 1.0, torch.full((1, 3), float(len(name))))
            for stream, size in kept_bytes(cached.engine).items():
                most[stream] = max(most[stream], size)
    assert most["cond"] <= lead * SIZE * 4
    assert most["uncond"] <= follower * SIZE * 4
    assert most["cond"] > 0


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
    cached = engine_for(Doubler(), NaviCache(align_steps=10), surroundings=lambda: Host(total=12))
    for i in range(3):
        cached(torch.full((1, 8), 5.0 - i), 5.0 - i)
    assert cached.engine.run.aside
    assert not cached.engine.run.streams
    assert cached.engine.run.last_seen == ()
