"""The most memory of a call, as the platform tells it."""

import re
import sys

import pytest
import torch

from navicache.cli.bench import memory

CPU = torch.device("cpu")


def resident() -> int:
    """Bytes that the process has in memory now."""
    return int(re.search(r"VmRSS:\s+(\d+)", memory.STATUS.read_text())[1]) * 1024


@pytest.mark.skipif(sys.platform != "linux", reason="other platforms do not tell")
def test_a_large_array_raises_the_peak_of_the_process():
    memory.reset_peak(CPU)
    before = memory.peak_memory(CPU)
    room = before - resident()  # where the peak could not be reset, it is that of an earlier test
    kept = torch.ones(room + 2**26, dtype=torch.uint8)
    assert before > 1e7 and memory.peak_memory(CPU) > before + 2**25
    del kept


def test_the_figure_is_read_in_bytes(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(memory, "STATUS", tmp_path / "status")
    (tmp_path / "status").write_text("VmPeak:\t 9999 kB\nVmHWM:\t    2048 kB\n")
    assert memory.peak_memory(CPU) == 2048 * 1024
    (tmp_path / "status").write_text("Name:\tpython\n")
    assert memory.peak_memory(CPU) is None


def test_a_platform_or_device_that_does_not_tell(monkeypatch):
    assert memory.peak_memory(torch.device("meta")) is None
    monkeypatch.setattr(sys, "platform", "darwin")
    assert memory.peak_memory(CPU) is None


def test_a_container_that_forbids_it_is_no_error(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(memory, "CLEAR", tmp_path / "no" / "file")
    memory.reset_peak(CPU)
    assert not (tmp_path / "no").exists()
