"""One call of the model, as the engine sees it."""

import inspect
from collections.abc import Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor

from navicache.engine.errors import CannotCache
from navicache.engine.tensors.rows import Rows, shapes
from navicache.models import (
    CONDITIONING_ARGUMENT_NAMES,
    LATENT_ARGUMENT_NAMES,
    TIME_ARGUMENT_NAMES,
    CallSpec,
    ArgumentKey,
)


class Call(NamedTuple):
    """The facts of a call that need no device."""

    latent: Rows  # what the site is handed: predictions start from it
    listed: bool  # the latent was a list of tensors
    time: Tensor | float | None
    conditioning: Rows
    form: object  # what the container of the output depends on
    raw: Rows  # what the model is handed: it tells steps apart

    @property
    def facts(self) -> tuple[object, ...]:
        """What cannot change within a run."""
        first = self.raw[0]
        return (shapes(self.raw) if self.listed else first.shape, first.dtype, first.device, self.form)


class Reader:
    """Finds latent, time and conditioning among the arguments, by the names a signature gives."""

    def __init__(self, spec: CallSpec, signature: inspect.Signature | None) -> None:
        """Settle the places once; an argument that cannot be found is an error now, not in mid-run."""
        names = _positional_names(signature)
        self._names = names
        self._latent = _settle("latent", spec.latent, LATENT_ARGUMENT_NAMES, names)
        self._time = _settle("time", spec.time, TIME_ARGUMENT_NAMES, names)
        self._conditioning = _conditioning(spec, names, {self._latent, self._time})
        if self._latent is None:
            raise ValueError(
                f"cannot tell which argument is the latent among ({', '.join(names)}); "
                "say so with call=CallSpec(latent=...)"
            )

    def read(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Call:
        """The facts of this call."""
        given = self._by_place(args, kwargs) if args or not self._names else kwargs
        latent = given.get(self._latent)  # pyright: ignore[reportArgumentType]  (positions are keys too)
        if isinstance(latent, Tensor):
            chunks, listed = (latent,), False
        else:
            chunks, listed = self._listed(latent), True
        conditioning: list[Tensor] = []
        for place in self._conditioning:
            value = given.get(place)  # pyright: ignore[reportArgumentType]
            conditioning += (value,) if isinstance(value, Tensor) else _tensors(value)
        time = _together(given.get(self._time))  # pyright: ignore[reportArgumentType]
        return Call(chunks, listed, time, tuple(conditioning), given.get("return_dict"), chunks)

    @property
    def places(self) -> dict[str, tuple[ArgumentKey, ...]]:
        """Which arguments are which."""
        time = () if self._time is None else (self._time,)
        latent = () if self._latent is None else (self._latent,)
        return {"latent": latent, "time": time, "conditioning": self._conditioning}

    def labels(self, args: tuple[Any, ...]) -> list[str | None]:
        """Names of the positional arguments; None beyond those the signature has."""
        return [*self._names[: len(args)], *[None] * (len(args) - len(self._names))]

    def _by_place(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[ArgumentKey, Any]:
        """All arguments by name and by position; a forward of *args and **kwargs names nothing, but its caller may."""
        given: dict[ArgumentKey, Any] = {
            **dict(zip(self._names, args, strict=False)),
            **dict(enumerate(args)),
            **kwargs,
        }
        if not self._names:
            roles = (
                (self._latent, LATENT_ARGUMENT_NAMES),
                (self._time, TIME_ARGUMENT_NAMES),
                (2, CONDITIONING_ARGUMENT_NAMES),
            )
            for place, usual in roles:
                if place is not None and place not in given:
                    given[place] = next((kwargs[name] for name in usual if name in kwargs), None)
        return given

    def _listed(self, latent: Any) -> Rows:
        if isinstance(latent, list | tuple) and latent and all(isinstance(chunk, Tensor) for chunk in latent):
            return tuple(chunk.unsqueeze(0) for chunk in latent)
        raise CannotCache(
            f"the latent argument {self._latent!r} is {type(latent).__name__}, not a tensor or a list of tensors; "
            "say which argument it is with call=CallSpec(latent=...)"
        )


def _positional_names(signature: inspect.Signature | None) -> tuple[str, ...]:
    if signature is None:
        return ()
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return tuple(p.name for p in signature.parameters.values() if p.kind in kinds)


def _settle(role: str, place: ArgumentKey | None, usual: tuple[str, ...], names: tuple[str, ...]) -> ArgumentKey | None:
    if place is not None:
        _check_place(role, place, names)
        return place
    if not names:  # only *args: latent first, time second
        return {"latent": 0, "time": 1}[role]
    return next((name for name in usual if name in names), None)


def _check_place(role: str, place: ArgumentKey, names: tuple[str, ...]) -> None:
    if isinstance(place, str) and names and place not in names:
        raise ValueError(f"CallSpec({role}={place!r}) names no argument; there are ({', '.join(names)})")


def _conditioning(spec: CallSpec, names: tuple[str, ...], taken: set[ArgumentKey | None]) -> tuple[ArgumentKey, ...]:
    if spec.conditioning is not None:
        for place in spec.conditioning:
            _check_place("conditioning", place, names)
        return spec.conditioning
    if not names:
        return (2,)
    usual = tuple(name for name in CONDITIONING_ARGUMENT_NAMES if name in names and name not in taken)
    return usual or tuple(name for name in names if name not in taken)


def _together(time: Any) -> Any:
    """A time as it is, or those of several latents as one tensor, of which the largest counts: a frozen one is at 0."""
    if not isinstance(time, list | tuple):
        return time
    return torch.cat([torch.as_tensor(entry).reshape(-1) for entry in time])


def _tensors(value: Any) -> list[Tensor]:
    """All tensors in a list or tuple, however deep; nothing where it is neither."""
    if isinstance(value, Tensor):
        return [value]
    return [tensor for entry in value for tensor in _tensors(entry)] if isinstance(value, list | tuple) else []
