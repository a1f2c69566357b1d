"""The facts of a call, as the caller describes it, and its placement in a run."""

from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

from navicache.engine.tensors.device_readings import DeviceReading
from navicache.policies import NoiseLevels

PlacementKind = Literal["run", "step", "follow"]


class CallFacts(NamedTuple):
    """What the caller knows about a call, without the device: stream, step, noise level."""

    stream: str | None = None  # the guidance branch
    index: int | None = None  # step in the run
    total: int | None = None
    sigma: float | None = None  # noise level in [0, 1]
    run_token: object | None = None  # another object in another run
    read_noise_levels: Callable[[], NoiseLevels | None] | None = None  # of the whole run; asked once, at its first call
    is_flow: bool | None = None  # the sampler goes straight from noise to picture; None if nobody tells
    has_text: bool = False  # the model reads text, whether or not the arguments show it
    is_continued: bool = False  # the run's latent comes from a sampler or an expert before, and got no fresh noise


class CallPlacement(NamedTuple):
    """Where a call belongs: a new run, a new step of this run, or one more stream of this step."""

    kind: PlacementKind
    stream: str
    new_run_stream: str = "0"  # what the stream is called should a run begin here after all
    new_run_reason: str = ""  # why a run begins
    is_tentative: bool = False  # latent and time must agree that the step is new
    time: DeviceReading | None = None
    levels: DeviceReading | None = None  # how many frames are between the lowest and the highest noise level
    is_conditioning_moved: bool = False  # the conditioning is not the memory it was
    conditioning_matches: Mapping[str, DeviceReading] = MappingProxyType({})  # stream to whether the values are equal

    @property
    def is_certain(self) -> bool:
        """Whether nothing has to be asked of the device."""
        return not (self.is_tentative or self.is_conditioning_moved or self.time)

    def as_new_run(self, reason: str) -> "CallPlacement":
        """The same call as the first of a run."""
        return self._replace(kind="run", stream=self.new_run_stream, new_run_reason=reason)


def number_repeated_stream(name: str, called_streams: Collection[str]) -> str:
    """Return the name of a stream, with a number added if it was already called in this step.

    Example:
        >>> number_repeated_stream("cond", ["uncond"]), number_repeated_stream("cond", ["cond", "uncond"])
        ('cond', 'cond#2')
    """
    if name not in called_streams:
        return name
    kind = name.split("#")[0]
    return f"{kind}#{1 + sum(stream.split('#')[0] == kind for stream in called_streams)}"


def choose_unused_name(taken_names: Collection[str]) -> str:
    """The first number that names no stream.

    Example:
        >>> choose_unused_name({"0", "2", "cond"})
        '1'
    """
    return next(str(i) for i in range(len(taken_names) + 1) if str(i) not in taken_names)
