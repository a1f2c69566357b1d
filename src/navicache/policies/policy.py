"""A policy turns the user's knobs into one or more caching schemes."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Protocol, cast

from navicache.policies.cache_sites import Signal, Site, SiteName
from navicache.policies.protocols import Gate, Predictor, RowRule
from navicache.records import ErrorField

MAX_TABLE_ENTRIES = 200  # a larger table is not written to traces; its calibration file has it


@dataclass(frozen=True)
class Scheme:
    """A caching scheme: the site that is replaced, the gate that decides when, and the predictor that replaces it."""

    site: Site
    gate: Gate[Any]
    predictor: Predictor[Any]
    computes_last_step: bool = True  # whether the gate always computes the last step, if it knows which one that is
    # The field of `explain` with the relative error that the gate predicts for a reuse of this step. Shadow mode
    # compares it with the true error (records/reuse_checks.py). None: the gate predicts no such error.
    error_field: ErrorField | None = "predicted_change"
    signal: Signal = "input"  # the tensor whose change the gate watches
    # A follower is predicted as the leader's output plus its difference from the leader. This predicts the difference,
    # from outputs alone, because both branches have the same input. None: a follower is predicted like the leader.
    difference_predictor: Predictor[Any] | None = None
    min_total_steps: int = 0  # runs with fewer steps than this are not cached
    bounds_outputs: bool = False  # the gate is asked for every output that is predicted, and the worst one decides
    few_steps_below: int = 0  # runs with fewer steps than this reuse less than the policy's target asks for
    # Consulted for the trace alone. Its decisions do not count, so it runs late, when its readings are on the host.
    monitor: Gate[Any] | None = None


class Policy(Protocol):
    """A frozen dataclass of knobs."""

    name: ClassVar[str]

    @property
    def align_steps(self) -> int | None:
        """Steps computed before anything may be reused; None: as the target needs."""
        ...

    def schemes(self) -> tuple[Scheme, ...]:
        """The caching schemes of these knobs."""
        ...


def resolve_row_rule(site: SiteName, row_rule: RowRule) -> RowRule:
    """The row rule that a site supports. Blocks see one batch of tokens, so they decide per call.

    Example:
        >>> resolve_row_rule("model", "sample"), resolve_row_rule("blocks", "sample")
        ('sample', 'call')
    """
    return row_rule if site == "model" else "call"


def collect_knob_values(policy: Policy) -> Mapping[str, str | int | float | bool | None]:
    """Return the knobs as plain values for the trace. Unset knobs are omitted; a large table is shown as its length.

    Example:
        >>> from navicache.policies import L2P, Static
        >>> collect_knob_values(Static(interval=3))["interval"]
        3
        >>> collect_knob_values(L2P(weights=(0.0,) * 1225))["weights"]
        '(1225 numbers)'
    """
    knobs = {f.name: getattr(policy, f.name) for f in fields(policy)}  # pyright: ignore[reportArgumentType]
    plain = (str, int, float, bool)
    set_knobs = {name: value for name, value in knobs.items() if value is not None}
    return {name: value if isinstance(value, plain) else _format_knob_value(value) for name, value in set_knobs.items()}


def _format_knob_value(value: object) -> str:
    text = str(value)
    size = len(cast(tuple[object, ...], value)) if isinstance(value, tuple) else 0
    return f"({size} numbers)" if size > MAX_TABLE_ENTRIES else text
