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

from navicache.engine.tensors.fetch import Reading, fetch, transfer

Doing = Literal["run", "step", "follow"]  # what a rank is about to do

HEAD = 4  # place and number of values, each with its square
ROOM = 124  # values that go with the head: one message of a kilobyte


def standing(doing: Doing, own_index: int) -> int:
    """Where a rank stands, as one number; a run may begin at any step.

    Example:
        >>> standing("run", 7), standing("step", 1), standing("follow", 1)
        (0, 4, 5)
    """
    kinds = get_args(Doing)
    return 0 if doing == "run" else len(kinds) * own_index + kinds.index(doing)


class Ranks:
    """The ranks of one process group."""

    def __init__(self, group: Any) -> None:
        """Nothing is sent yet; the group is a ProcessGroup, a name that builds of torch without it lack."""
        self.group, self.size = group, distributed.get_world_size(group)
        self._on_host = distributed.get_backend(group) == "gloo"

    def fetch(self, readings: Iterable[Reading], place: int, device: torch.device) -> bool:
        """Bring all readings over as their mean over the ranks; False, and not a number, where ranks are apart."""
        waiting = [(reading, reading.tensor) for reading in readings if reading.tensor is not None]
        where = torch.device("cpu") if self._on_host else device
        values = [tensor.reshape(-1).to(where, torch.float64) for _, tensor in waiting]
        mine = torch.cat(values) if values else torch.zeros(0, dtype=torch.float64, device=where)
        head = torch.tensor([place, place**2, len(mine), len(mine) ** 2], dtype=torch.float64)
        head, first = self._mean(torch.cat([head.to(where), mine[:ROOM], mine.new_zeros(max(0, ROOM - len(mine)))]))
        together = head[0] ** 2 == head[1] and head[2] ** 2 == head[3]
        if not together:
            mean = [nan] * len(mine)
        elif len(mine) <= ROOM:
            mean = first[: len(mine)]
        else:  # every rank knows by now that every rank sends as much
            mean = first + [*self._mean(torch.cat([mine.new_zeros(HEAD), mine[ROOM:]]))[1]]
        _hand_out([reading for reading, _ in waiting], [len(part) for part in values], mean)
        return together

    def _mean(self, message: Tensor) -> tuple[list[float], list[float]]:
        distributed.all_reduce(message, group=self.group)
        values = [value / self.size for value in transfer(message)]
        return values[:HEAD], values[HEAD:]


def _hand_out(readings: list[Reading], lengths: list[int], values: list[float]) -> None:
    start = 0
    for reading, length in zip(readings, lengths, strict=True):
        reading.arrive(values[start : start + length])
        start += length


FindRanks = Callable[[], Ranks | None]


def alone() -> Ranks | None:
    """One process, or ranks that have nothing to do with each other."""
    return None


class Door:
    """How readings come to the host: by themselves, or as the mean over the ranks that decide together."""

    def __init__(self, find_ranks: FindRanks) -> None:
        """Alone until the first run begins."""
        self.ranks, self._find_ranks = alone(), find_ranks

    def meet(self) -> bool:
        """A run begins: see who decides together, and whether there are any."""
        self.ranks = self._find_ranks()
        return self.ranks is not None

    def cross(self, readings: Iterable[Reading], doing: Doing, own_index: int, latent: Tensor) -> bool:
        """Bring readings over; False where ranks turned out to be apart."""
        if self.ranks is None:
            fetch(readings)
            return True
        return self.ranks.fetch(readings, standing(doing, own_index), latent.device)
