"""Ranks that run one model together: they average their measurements, so that all take the same decision.

A rank that computes while another reuses would wait in the model's collectives forever. So each leading call makes
one reduction, which also carries the rank's position. If the ranks are not at the same position, all of them see it
in this reduction, and all of them compute from there on.
"""

from collections.abc import Callable, Iterable
from math import nan
from typing import Any, Literal, get_args

import torch
from torch import Tensor, distributed

from navicache.engine.tensors.device_readings import DeviceReading, copy_to_host, fetch_readings

RankAction = Literal["run", "step", "follow"]  # what a rank is about to do

HEADER_LENGTH = 4  # place and number of values, each with its square
PAYLOAD_LENGTH = 124  # values that go with the head: one message of a kilobyte


def encode_rank_position(action: RankAction, local_index: int) -> int:
    """Encode the position of a rank as one number; the start of a run is 0 at any step.

    Example:
        >>> encode_rank_position("run", 7), encode_rank_position("step", 1), encode_rank_position("follow", 1)
        (0, 4, 5)
    """
    kinds = get_args(RankAction)
    return 0 if action == "run" else len(kinds) * local_index + kinds.index(action)


class RankGroup:
    """The ranks of one process group."""

    def __init__(self, group: Any) -> None:
        """Take a ProcessGroup (typed as Any, because some builds of torch lack the class); nothing is sent yet."""
        self.group, self.size = group, distributed.get_world_size(group)
        self._reduces_on_cpu = distributed.get_backend(group) == "gloo"

    def fetch_means(self, readings: Iterable[DeviceReading], position: int, device: torch.device) -> bool:
        """Fetch the mean of all readings over the ranks; return False, with NaN values, if the positions differ."""
        waiting = [(reading, reading.tensor) for reading in readings if reading.tensor is not None]
        where = torch.device("cpu") if self._reduces_on_cpu else device
        values = [tensor.reshape(-1).to(where, torch.float64) for _, tensor in waiting]
        mine = torch.cat(values) if values else torch.zeros(0, dtype=torch.float64, device=where)
        head = torch.tensor([position, position**2, len(mine), len(mine) ** 2], dtype=torch.float64)
        padding = mine.new_zeros(max(0, PAYLOAD_LENGTH - len(mine)))
        head, first = self._all_reduce_mean(torch.cat([head.to(where), mine[:PAYLOAD_LENGTH], padding]))
        together = head[0] ** 2 == head[1] and head[2] ** 2 == head[3]
        if not together:
            mean = [nan] * len(mine)
        elif len(mine) <= PAYLOAD_LENGTH:
            mean = first[: len(mine)]
        else:  # every rank knows by now that every rank sends as much
            _, rest = self._all_reduce_mean(torch.cat([mine.new_zeros(HEADER_LENGTH), mine[PAYLOAD_LENGTH:]]))
            mean = first + rest
        _distribute_values([reading for reading, _ in waiting], [len(part) for part in values], mean)
        return together

    def _all_reduce_mean(self, message: Tensor) -> tuple[list[float], list[float]]:
        distributed.all_reduce(message, group=self.group)
        values = [value / self.size for value in copy_to_host(message)]
        return values[:HEADER_LENGTH], values[HEADER_LENGTH:]


def _distribute_values(readings: list[DeviceReading], lengths: list[int], values: list[float]) -> None:
    start = 0
    for reading, length in zip(readings, lengths, strict=True):
        reading.set_values(values[start : start + length])
        start += length


FindRankGroup = Callable[[], RankGroup | None]


def find_no_ranks() -> RankGroup | None:
    """Return None: one process, or ranks that decide independently."""
    return None


class HostTransfer:
    """Fetches readings to the host: those of this process, or their mean over the ranks that decide together."""

    def __init__(self, find_ranks: FindRankGroup) -> None:
        """Alone until the first run begins."""
        self.ranks, self._find_ranks = find_no_ranks(), find_ranks

    def update_ranks(self) -> bool:
        """Look up the rank group at the start of a run; return whether there is one."""
        self.ranks = self._find_ranks()
        return self.ranks is not None

    def fetch_readings(
        self, readings: Iterable[DeviceReading], action: RankAction, local_index: int, latent: Tensor
    ) -> bool:
        """Fetch the readings; return False if the ranks are at different positions."""
        if self.ranks is None:
            fetch_readings(readings)
            return True
        return self.ranks.fetch_means(readings, encode_rank_position(action, local_index), latent.device)
