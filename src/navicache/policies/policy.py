"""A policy: knobs for the user, and the schemes they stand for."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Protocol, cast

from navicache.policies.protocols import Gate, Predictor, RowRule
from navicache.policies.sites import Signal, Site, SiteName
from navicache.records import Belief

LARGE = 200  # a table of more entries is not written into every trace; its calibration has it


@dataclass(frozen=True)
class Scheme:
    """One row of the design's table: where, when, and with what a computation is replaced."""

    site: Site
    gate: Gate[Any]
    predictor: Predictor[Any]
    last_step: bool = True  # whether the gate insists on computing the last step, where it knows which one that is
    # The field of `explain` that holds the relative error the gate believes a reuse of this very step makes, to be held
    # against the truth in shadow mode (records/truth.py); None where it believes nothing of that kind.
    belief: Belief | None = "predicted_change"
    signal: Signal = "input"  # what the gate's changes are changes of
    # A follower is predicted as the leader's output and its own difference from that. This carries the difference on:
    # from outputs alone, for both branches are given the same input. None: a follower is predicted as the leader is.
    apart: Predictor[Any] | None = None
    shortest: int = 0  # runs known to have fewer steps are left alone
    # Asked for the trace alone, where the gate itself explains nothing: its verdicts do not count, so it is asked late,
    # when what it reads has come to the host without a transfer of its own.
    monitor: Gate[Any] | None = None


class Policy(Protocol):
    """A frozen dataclass of knobs."""

    name: ClassVar[str]

    @property
    def align_steps(self) -> int:
        """Steps computed before anything may be reused."""
        ...

    def schemes(self) -> tuple[Scheme, ...]:
        """What the knobs stand for."""
        ...


def rows_at(site: SiteName, rows: RowRule) -> RowRule:
    """What decides for itself there: the blocks see one batch of tokens, and samples cannot be taken out of it.

    Example:
        >>> rows_at("model", "sample"), rows_at("blocks", "sample")
        ('sample', 'call')
    """
    return rows if site == "model" else "call"


def settings(policy: Policy) -> Mapping[str, str | int | float | bool | None]:
    """The knobs as plain values, for the trace; those left open (None) are left out, and a large table is its size.

    Example:
        >>> from navicache.policies import L2P, Static
        >>> settings(Static(interval=3))["interval"], settings(L2P(weights=(0.0,) * 1225))["weights"]
        (3, '(1225 numbers)')
    """
    knobs = {f.name: getattr(policy, f.name) for f in fields(policy)}  # pyright: ignore[reportArgumentType]
    plain = (str, int, float, bool)
    set_knobs = {name: value for name, value in knobs.items() if value is not None}
    return {name: value if isinstance(value, plain) else _shown(value) for name, value in set_knobs.items()}


def _shown(value: object) -> str:
    text = str(value)
    size = len(cast(tuple[object, ...], value)) if isinstance(value, tuple) else 0
    return f"({size} numbers)" if size > LARGE else text
