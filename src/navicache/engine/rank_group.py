"""Ranks that run one model together: what is fetched at a decision is averaged first, so that all decide alike.

A rank that computes while another reuses would wait in the model's collectives for ever. So each leading call makes
one reduction, whatever its rank thinks of the step; with the measurements goes where the rank stands. Ranks that do
not stand at the same place all learn so from that very reduction, and compute from there on.
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
    """Where a rank stands, as one number; a run may begin at any step.

    Example:
        >>> encode_rank_position("run", 7), encode_rank_position("step", 1), encode_rank_position("follow", 1)
        (0, 4, 5)
    """
    kinds = get_args(RankAction)
    return 0 if action == "run" else len(kinds) * local_index + kinds.index(action)


class RankGroup:
    """The ranks of one process group."""

    def __init__(self, group: Any) -> None:
        """Nothing is sent yet; the group is a ProcessGroup, a name that builds of torch without it lack."""
        self.group, self.size = group, distributed.get_world_size(group)
        self._reduces_on_cpu = distributed.get_backend(group) == "gloo"

    def fetch_means(self, readings: Iterable[DeviceReading], position: int, device: torch.device) -> bool:
        """Bring all readings over as their mean over the ranks; False, and not a number, where ranks are apart."""
        waiting = [(reading, reading.tensor) for reading in readings if reading.tensor is not None]
        where = torch.device("cpu") if self._reduces_on_cpu else device
        values = [tensor.reshape(-1).to(where, torch.float64) for _, tensor in waiting]
        mine = torch.cat(values) if values else torch.zeros(0, dtype=torch.float64, device=where)
        head = torch.tensor([position, position**2, len(mine), len(mine) ** 2], dtype=torch.float64)
        head, first = self._all_reduce_mean(
            torch.cat([head.to(where), mine[:PAYLOAD_LENGTH], mine.new_zeros(max(0, PAYLOAD_LENGTH - len(mine)))])
        )
        together = head[0] ** 2 == head[1] and head[2] ** 2 == head[3]
        if not together:
            mean = [nan] * len(mine)
        elif len(mine) <= PAYLOAD_LENGTH:
            mean = first[: len(mine)]
        else:  # every rank knows by now that every rank sends as much
            mean = first + [
                *self._all_reduce_mean(torch.cat([mine.new_zeros(HEADER_LENGTH), mine[PAYLOAD_LENGTH:]]))[1]
            ]
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
    """One process, or ranks that have nothing to do with each other."""
    return None


class HostTransfer:
    """How readings come to the host: by themselves, or as the mean over the ranks that decide together."""

    def __init__(self, find_ranks: FindRankGroup) -> None:
        """Alone until the first run begins."""
        self.ranks, self._find_ranks = find_no_ranks(), find_ranks

    def update_ranks(self) -> bool:
        """A run begins: see who decides together, and whether there are any."""
        self.ranks = self._find_ranks()
        return self.ranks is not None

    def fetch_readings(
        self, readings: Iterable[DeviceReading], action: RankAction, local_index: int, latent: Tensor
    ) -> bool:
        """Bring readings over; False where ranks turned out to be apart."""
        if self.ranks is None:
            fetch_readings(readings)
            return True
        return self.ranks.fetch_means(readings, encode_rank_position(action, local_index), latent.device)
