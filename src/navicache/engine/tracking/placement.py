"""Where a call stands, as its surroundings tell it and as the tracker finds it."""

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

from navicache.engine.tensors.fetch import Reading

Kind = Literal["run", "step", "follow"]


class Host(NamedTuple):
    """What is known without the device about where a call stands."""

    name: str | None = None  # the guidance branch
    index: int | None = None  # step in the run
    total: int | None = None
    sigma: float | None = None  # noise level in [0, 1]
    token: object | None = None  # another object in another run


class Placement(NamedTuple):
    """Where a call belongs: a new run, a new step of this run, or one more stream of this step."""

    kind: Kind
    stream: str
    fresh: str = "0"  # what the stream is called should a run begin here after all
    why: str = ""  # why a run begins
    tentative: bool = False  # latent and time must agree that the step is new
    time: Reading | None = None
    moved: bool = False  # the conditioning is not the memory it was
    equal: Mapping[str, Reading] = MappingProxyType({})  # does it equal that of this stream all the same?

    @property
    def certain(self) -> bool:
        """Whether nothing has to be asked of the device."""
        return not (self.tentative or self.moved or self.time)

    def begins(self, why: str) -> "Placement":
        """The same call as the first of a run."""
        return self._replace(kind="run", stream=self.fresh, why=why)


def another(name: str, called: Collection[str]) -> str:
    """The name, or the next of its kind where it has been called in this step.

    Example:
        >>> another("cond", ["uncond"]), another("cond", ["cond", "uncond"])
        ('cond', 'cond#2')
    """
    if name not in called:
        return name
    kind = name.split("#")[0]
    return f"{kind}#{1 + sum(stream.split('#')[0] == kind for stream in called)}"


def unused(taken: Collection[str]) -> str:
    """The first number that names no stream.

    Example:
        >>> unused({"0", "2", "cond"})
        '1'
    """
    return next(str(i) for i in range(len(taken) + 1) if str(i) not in taken)
