"""The most memory of a call, as the platform tells it."""

import subprocess
import sys

import pytest
import torch

from navicache.cli.bench import memory

CPU = torch.device("cpu")


ARRAY = """
import torch
from navicache.cli.bench import memory

cpu = torch.device("cpu")
memory.reset_peak(cpu)
before = memory.peak_memory(cpu)
kept = torch.ones(2**28, dtype=torch.uint8)
print(before, memory.peak_memory(cpu))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other platforms do not tell")
def test_a_large_array_raises_the_peak_of_the_process():
    """In a process of its own: elsewhere the array may lie in memory that an earlier test has left."""
    told = subprocess.run([sys.executable, "-c", ARRAY], capture_output=True, text=True, check=True).stdout
    before, after = (int(number) for number in told.split())
    assert before > 1e7
    assert after > before + 2**27


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
