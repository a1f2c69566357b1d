"""Where a call stands, as its surroundings tell it and as the tracker finds it."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

from navicache.engine.fetch import Reading

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

    def begins(self, why: str) -> "Placement":
        """The same call as the first of a run."""
        return self._replace(kind="run", stream=self.fresh, why=why)
