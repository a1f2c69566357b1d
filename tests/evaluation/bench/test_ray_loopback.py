"""A Ray that the executor starts listens on this machine alone."""

import os
import sys
from types import SimpleNamespace

import pytest

from navicache.evaluation.bench.ray_executor import RayExecutor

SWITCH = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"


class Reached(Exception):
    """Ray would be started now."""


@pytest.fixture
def ray(monkeypatch):
    def reached():
        raise Reached

    monkeypatch.setitem(sys.modules, "ray", SimpleNamespace(is_initialized=reached))
    monkeypatch.setattr(os, "environ", {})


@pytest.mark.parametrize(
    ("address", "known", "expected"),
    [(None, {}, "0"), ("10.0.0.7:6379", {}, None), (None, {"RAY_ADDRESS": "auto"}, None), (None, {SWITCH: "1"}, "1")],
    ids=["local", "address", "RAY_ADDRESS", "as the user says"],
)
def test_the_switch_is_set_for_a_new_cluster_alone(ray, address, known, expected):
    os.environ.update(known)
    with pytest.raises(Reached):
        list(RayExecutor(address=address)([((),)], lambda: None))
    assert os.environ.get(SWITCH) == expected
