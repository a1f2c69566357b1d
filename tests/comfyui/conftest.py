"""A real ComfyUI for the tests that need one; without it they say so."""

from collections.abc import Iterator

import pytest
from tests.comfyui.server import Server, found, running

# What imports ComfyUI itself is not for pytest to import.
collect_ignore = ["nodes"]

WHY = "no ComfyUI: set COMFYUI_PATH to its folder (and COMFYUI_PYTHON to a Python that has its requirements)"


@pytest.fixture(scope="session")
def comfyui(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    place = found()
    if place is None:
        pytest.skip(WHY)
    with running(*place, tmp_path_factory.mktemp("comfyui") / "base") as server:
        yield server
