"""What a gate and a predictor are: frozen knobs with pure methods, floats only.

A new run starts from `init()`, so nothing can leak from one video to the next. The engine owns every tensor; it
measures, calls these methods, and applies what they answer.
"""

from collections.abc import Mapping
from typing import Annotated, Literal, NamedTuple, Protocol, TypeVar

T = TypeVar("T")

StreamRule = Literal["lead", "each"]
RowRule = Literal["sample", "call"]
# What a gate may ask for. "outcome": nothing of the step itself, but what the computes before it have taught, which any
# other measurement includes.
Measurement = Literal["since_seen", "since_computed", "by_channel", "time", "outcome"]
Products = tuple[tuple[float, ...], ...]  # [a][b]: mean m_a * m_b of the moves m_0 = y_i - y_j, m_1 = y_j - y_k, ...

# Of a field that was measured on tensors, and may therefore be NaN or infinite: `measured.py` finds it by this mark.
MEASURED = "measured"
Measured = Annotated[T | None, MEASURED]


class Step(NamedTuple):
    """What is known when a step is to be decided; `None` where it cannot be known yet."""

    index: int  # step in the run  # pyright: ignore[reportIncompatibleMethodOverride]
    own_index: int  # step since this engine (or this alignment) began
    stream: str = "0"
    total: int | None = None  # steps of the run
    time: float | None = None
    sigma: float | None = None  # noise level in [0, 1]
    since_seen: Measured[float] = None  # mean |x_i - x_(i-1)|, of the latent or of the signal the gate asks for
    since_computed: Measured[float] = None  # mean |x_i - x_j|
    output_size: Measured[float] = None  # mean |y_j|
    elements: int = 1  # latent elements of one sample, to turn a mean into a sum
    gap: int = 0  # steps since the last compute: 1 right after it, 0 before the first
    by_channel: Measured[tuple[float, ...]] = None  # since_seen, channel by channel
    gaps: tuple[int, ...] = ()  # steps since the newest compute, between it and the one before, and so on
    seen_size: Measured[float] = None  # mean |x_(i-1)|, where the gate watches a signal of its own
    computed_size: Measured[float] = None  # mean |x_j|, likewise
    relative_seen: Measured[float] = None  # since_seen / seen_size, row by row, then their mean, likewise
    branch: int = 0  # which stream of the run this is, in the order of their first calls
    fits: bool = True  # input and output have a part of the same form, and can be added

    @property
    def progress(self) -> float | None:
        """How far the run is, 0 at its first step and 1 at its last."""
        return _progress(self.index, self.total, self.sigma)


class Outcome(NamedTuple):
    """What a compute taught; changes are measured from the last computed step, `None` at the first one."""

    index: int  # pyright: ignore[reportIncompatibleMethodOverride]
    own_index: int
    total: int | None = None
    time: float | None = None
    sigma: float | None = None
    gap: int = 0  # steps between the two computes
    input_change: Measured[float] = None  # mean |x_i - x_j|
    output_change: Measured[float] = None  # mean |y_i - y_j|
    output_size: Measured[float] = None  # mean |y_i|
    prediction_error: Measured[float] = None  # mean |y_i - prediction| / mean |y_i|
    input_by_channel: Measured[tuple[float, ...]] = None
    output_by_channel: Measured[tuple[float, ...]] = None
    gaps: tuple[int, ...] = ()  # `gap`, then the gaps between the computes before
    products: Measured[Products] = None
    # how much of what was missed at the compute before is missed again: <m, m before> / <m before, m before>
    repeat: Measured[float] = None

    @property
    def progress(self) -> float | None:
        """How far the run was, as in `Step.progress`."""
        return _progress(self.index, self.total, self.sigma)


def _progress(index: int, total: int | None, sigma: float | None) -> float | None:
    if total is not None:
        return min(1.0, index / max(1, total - 1))
    return None if sigma is None else 1.0 - sigma


class Weights(NamedTuple):
    """A prediction as a weighted sum: input * x_i + references[k] . (x, y) of the k-th newest computed step.

    And `missed` times what such a sum, without this last term, had missed by at the newest computed step.

    Of the computed steps before the newest only outputs are kept, unless the predictor `keeps_inputs`: without it their
    first weight must be 0.
    """

    input: float
    references: tuple[tuple[float, float], ...]  # (weight of x_j, weight of y_j), newest first
    missed: float = 0.0  # counts where the engine keeps it: where all followers are kept as differences from the leader


class Verdict(NamedTuple):
    """A decision and, for the trace, who took it."""

    compute: bool
    reason: str


S = TypeVar("S")


class Gate(Protocol[S]):
    """Compute or reuse at this step?

    `streams`, `rows` and `reads` are facts of a gate and no arguments of it: a constant that its constructor does not
    take (`field(default=..., init=False)`), or a property where a knob decides. Only `rows` is a knob of some.
    """

    @property
    def streams(self) -> StreamRule:
        """One decision for all guidance branches ("lead"), or one each."""
        ...

    @property
    def rows(self) -> RowRule:
        """One decision per sample of a batch, or one per call."""
        ...

    @property
    def reads(self) -> frozenset[Measurement]:
        """What must be known before a decision; empty: no device sync at all; "outcome": one after each compute."""
        ...

    def init(self) -> S:
        """State at the first step of a run."""
        ...

    def decide(self, state: S, step: Step) -> tuple[Verdict, S]:
        """Compute or reuse. Asked once a step, also where a guard has the last word."""
        ...

    def learn(self, state: S, outcome: Outcome) -> S:
        """Take in what a compute taught: before the next `decide`, or late for a gate that reads nothing."""
        ...

    def explain(self, state: S) -> Mapping[str, float]:
        """Fields of `StepRecord` to show for the decision just taken."""
        ...


class Predictor(Protocol[S]):
    """What is returned on reuse?

    `order`, `products`, `keeps_inputs` and `keeps_missed` are facts of a predictor and no arguments of it.
    """

    @property
    def order(self) -> int:
        """How many computed steps it looks back on."""
        ...

    @property
    def products(self) -> bool:
        """Whether it learns from the inner products of the moves between computed outputs."""
        ...

    @property
    def keeps_inputs(self) -> bool:
        """Whether it needs the inputs of all the computed steps it looks back on, not of the newest alone."""
        ...

    @property
    def keeps_missed(self) -> bool:
        """Whether it needs what its prediction of the newest computed step had missed by."""
        ...

    def init(self) -> S:
        """State at the first step of a run."""
        ...

    def weights(self, state: S, step: Step) -> Weights:
        """The weighted sum that predicts this step's output."""
        ...

    def learn(self, state: S, outcome: Outcome) -> S:
        """Take in what a compute taught."""
        ...
