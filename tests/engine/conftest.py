"""What several files of the engine's tests share."""

from collections.abc import Iterator

import pytest

from navicache.engine.tensors import fetch


@pytest.fixture
def transfers(monkeypatch) -> Iterator[list[int]]:
    """Sizes of all transfers through the one door from the device."""
    sizes: list[int] = []
    plain = fetch.transfer

    def counted(values):
        sizes.append(values.numel())
        return plain(values)

    monkeypatch.setattr(fetch, "transfer", counted)
    yield sizes
