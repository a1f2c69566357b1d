"""One call of the model, as the engine sees it."""

import inspect
from collections.abc import Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor

from navicache.engine.errors import CannotCache
from navicache.engine.tensors.rows import Rows, list_shapes
from navicache.models import (
    CONDITIONING_ARGUMENT_NAMES,
    LATENT_ARGUMENT_NAMES,
    OTHER_LATENT_ARGUMENT_NAMES,
    OTHER_TIME_ARGUMENT_NAMES,
    TIME_ARGUMENT_NAMES,
    ArgumentKey,
    CallSpec,
)

STORAGE_MODE = "kv_cache_mode"  # a call that stores keys may return the text's tokens too, one that reads them does not


class ModelCall(NamedTuple):
    """The facts of a call that need no device."""

    latent: Rows  # what the site is handed: predictions start from it
    is_latent_list: bool  # the latent was a list of tensors
    time: Tensor | float | None
    conditioning: Rows
    output_format: object  # what the container and the shape of the output depend on
    model_latent: Rows  # what the model is handed: it tells steps apart
    other_latents: tuple[Rows, ...] = ()  # those of further outputs, sound beside a video

    @property
    def run_invariants(self) -> tuple[object, ...]:
        """What cannot change within a run; last, `call_form`."""
        first = self.model_latent[0]
        shape = list_shapes(self.model_latent) if self.is_latent_list else first.shape
        return shape, first.dtype, first.device, self.call_form

    @property
    def has_text(self) -> bool:
        """Whether the conditioning is a sequence of tokens, as text is; a class label or one vector is none."""
        sequence = 2 if self.is_latent_list else 3  # a list has one entry for each sample, without a batch
        return any(tensor.ndim >= sequence for tensor in self.conditioning)

    @property
    def call_form(self) -> object:
        """What of it the first latent does not tell."""
        return self.output_format, *map(list_shapes, self.other_latents)


class CallReader:
    """Finds latent, time and conditioning among the arguments, by the names a signature gives."""

    def __init__(self, spec: CallSpec, signature: inspect.Signature | None) -> None:
        """Settle the places once; an argument that cannot be found is an error now, not in mid-run."""
        names = _list_argument_names(signature)
        self._argument_names = names
        self._latent_key = _resolve_argument_key("latent", spec.latent, LATENT_ARGUMENT_NAMES, names)
        self._time_key = _resolve_argument_key("time", spec.time, TIME_ARGUMENT_NAMES, names)
        self._other_latent_keys = _resolve_other_latent_keys(spec, names, self._latent_key)
        self._other_time_keys = [name for name in OTHER_TIME_ARGUMENT_NAMES if name in names and spec.time is None]
        others = *OTHER_LATENT_ARGUMENT_NAMES, *self._other_latent_keys, *self._other_time_keys
        taken = {self._latent_key, self._time_key, *others}
        self._conditioning_keys = _resolve_conditioning_keys(spec, names, taken)
        if self._latent_key is None:
            raise ValueError(
                f"cannot tell which argument is the latent among ({', '.join(names)}); "
                "say so with call=CallSpec(latent=...)"
            )

    def read_call(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> ModelCall:
        """The facts of this call."""
        given: Mapping[Any, Any] = kwargs if self._argument_names and not args else self._index_arguments(args, kwargs)
        latent = given.get(self._latent_key)  # pyright: ignore[reportArgumentType]  (positions are keys too)
        chunks, listed = _unpack_latent(latent), not isinstance(latent, Tensor)
        if not chunks:
            raise CannotCache(
                f"the latent argument {self._latent_key!r} is {type(latent).__name__}, not a tensor or a list of "
                "tensors; say which argument it is with call=CallSpec(latent=...)"
            )
        conditioning: list[Tensor] = []
        for place in self._conditioning_keys:
            value = given.get(place)
            conditioning += (value,) if isinstance(value, Tensor) else _collect_tensors(value)
        time, form = self._read_time(given, chunks[0].device), (given.get("return_dict"), given.get(STORAGE_MODE))
        others = tuple(_unpack_latent(given.get(key)) for key in self._other_latent_keys)
        return ModelCall(chunks, listed, time, tuple(conditioning), form, chunks, others)

    def _read_time(self, given: Mapping[Any, Any], device: torch.device) -> Any:
        """The time as it is, or those of several latents as one tensor: one that is frozen stays, another moves."""
        time = given.get(self._time_key)
        others = [given[key] for key in self._other_time_keys if given.get(key) is not None]
        if not others and not isinstance(time, list | tuple):
            return time
        times = [*time] if isinstance(time, list | tuple) else [] if time is None else [time]
        return torch.cat([torch.as_tensor(entry, device=device).reshape(-1) for entry in times + others])

    @property
    def argument_keys(self) -> dict[str, tuple[ArgumentKey, ...]]:
        """Which arguments are which."""
        time = () if self._time_key is None else (self._time_key,)
        latent = () if self._latent_key is None else (self._latent_key,)
        return {"latent": latent, "time": time, "conditioning": self._conditioning_keys}

    def name_positional_arguments(self, args: tuple[Any, ...]) -> list[str | None]:
        """Names of the positional arguments; None beyond those the signature has."""
        return [*self._argument_names[: len(args)], *[None] * (len(args) - len(self._argument_names))]

    def _index_arguments(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[ArgumentKey, Any]:
        """All arguments by name and by position; a forward of *args and **kwargs names nothing, but its caller may."""
        named = dict(zip(self._argument_names, args, strict=False))
        given: dict[ArgumentKey, Any] = {**named, **dict(enumerate(args)), **kwargs}
        if not self._argument_names:
            latent, time = (self._latent_key, LATENT_ARGUMENT_NAMES), (self._time_key, TIME_ARGUMENT_NAMES)
            roles = (latent, time, (2, CONDITIONING_ARGUMENT_NAMES))
            for place, usual in roles:
                if place is not None and place not in given:
                    given[place] = next((kwargs[name] for name in usual if name in kwargs), None)
        return given


def _unpack_latent(latent: Any) -> Rows:
    """A tensor with the batch first, or a list of one tensor per sample; nothing where it is neither."""
    if isinstance(latent, Tensor):
        return (latent,)
    listed = isinstance(latent, list | tuple) and all(isinstance(chunk, Tensor) for chunk in latent)
    return tuple(chunk.unsqueeze(0) for chunk in latent) if listed else ()


def _list_argument_names(signature: inspect.Signature | None) -> tuple[str, ...]:
    if signature is None:
        return ()
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return tuple(p.name for p in signature.parameters.values() if p.kind in kinds)


def _resolve_argument_key(
    role: str, key: ArgumentKey | None, usual_names: tuple[str, ...], argument_names: tuple[str, ...]
) -> ArgumentKey | None:
    if key is not None:
        _check_argument_key(role, key, argument_names)
        return key
    if not argument_names:  # only *args: latent first, time second
        return {"latent": 0, "time": 1}[role]
    return next((name for name in usual_names if name in argument_names), None)


def _resolve_other_latent_keys(
    spec: CallSpec, argument_names: tuple[str, ...], latent_key: ArgumentKey | None
) -> tuple[ArgumentKey, ...]:
    """Where the second latent is; the first of the usual names is one where the sound is the latent."""
    if spec.other_latents is not None:
        for place in spec.other_latents:
            _check_argument_key("other_latents", place, argument_names)
        return spec.other_latents
    first = argument_names[latent_key] if argument_names and isinstance(latent_key, int) else latent_key
    usual = next((name for name in LATENT_ARGUMENT_NAMES if name in argument_names), first)
    named = (name for name in OTHER_LATENT_ARGUMENT_NAMES if name in argument_names or not argument_names)
    return tuple(name for name in (usual, *named) if name is not None and name != first)


def _check_argument_key(role: str, key: ArgumentKey, argument_names: tuple[str, ...]) -> None:
    if isinstance(key, str) and argument_names and key not in argument_names:
        raise ValueError(f"CallSpec({role}={key!r}) names no argument; there are ({', '.join(argument_names)})")


def _resolve_conditioning_keys(
    spec: CallSpec, argument_names: tuple[str, ...], taken_keys: set[ArgumentKey | None]
) -> tuple[ArgumentKey, ...]:
    if spec.conditioning is not None:
        for place in spec.conditioning:
            _check_argument_key("conditioning", place, argument_names)
        return spec.conditioning
    if not argument_names:
        return (2,)
    usual = tuple(name for name in CONDITIONING_ARGUMENT_NAMES if name in argument_names and name not in taken_keys)
    return usual or tuple(name for name in argument_names if name not in taken_keys)


def _collect_tensors(value: Any) -> list[Tensor]:
    """All tensors in a list or tuple, however deep; nothing where it is neither."""
    if isinstance(value, Tensor):
        return [value]
    return [tensor for entry in value for tensor in _collect_tensors(entry)] if isinstance(value, list | tuple) else []
