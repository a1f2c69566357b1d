"""What several files of the engine's tests share."""

from collections.abc import Iterator

import pytest

from navicache.engine.tensors import device_readings


@pytest.fixture
def transfers(monkeypatch) -> Iterator[list[int]]:
    """Sizes of all transfers through the one door from the device."""
    sizes: list[int] = []
    plain = device_readings.copy_to_host

    def counted(values):
        sizes.append(values.numel())
        return plain(values)

    monkeypatch.setattr(device_readings, "copy_to_host", counted)
    yield sizes
