"""The interfaces of a gate and a predictor: frozen knobs with pure methods, floats only.

A new run starts from `init()`, so nothing leaks from one video to the next. The engine owns every tensor; it measures,
calls these methods, and applies what they return.
"""

from collections.abc import Mapping
from typing import Annotated, Literal, NamedTuple, Protocol, TypeVar

ValueT = TypeVar("ValueT")

StreamRule = Literal["lead", "each"]
RowRule = Literal["sample", "call"]
NoiseLevels = tuple[float, ...]  # sigma / (alpha + sigma) before each step, and after the last: 1 is noise, 0 clean
# What a gate can ask for. "outcome" is nothing of the step itself, only the outcomes of computed steps before it; every
# other measurement includes it.
Measurement = Literal["since_seen", "since_computed", "by_channel", "time", "outcome"]
# [a][b]: mean m_a * m_b of the moves m_0 = y_i - y_j, m_1 = y_j - y_k, ...
InnerProducts = tuple[tuple[float, ...], ...]

# Marks a field that is measured on tensors and may be NaN or infinite. `measured_fields.py` looks for this mark.
MEASURED_MARK = "measured"
MeasuredValue = Annotated[ValueT | None, MEASURED_MARK]


class Step(NamedTuple):
    """What a gate knows about a step before it decides. Unknown values are `None`."""

    index: int  # step in the run  # pyright: ignore[reportIncompatibleMethodOverride]
    local_index: int  # steps since this engine (or its newest alignment) started
    stream: str = "0"
    total: int | None = None  # steps of the run
    time: float | None = None
    sigma: float | None = None  # noise level in [0, 1]
    since_seen: MeasuredValue[float] = None  # mean |x_i - x_(i-1)|, of the latent or of the gate's signal
    since_computed: MeasuredValue[float] = None  # mean |x_i - x_j|
    output_magnitude: MeasuredValue[float] = None  # mean |y_j|
    elements: int = 1  # latent elements of one sample, to turn a mean into a sum
    gap: int = 0  # steps since the last compute: 1 right after it, 0 before the first
    by_channel: MeasuredValue[tuple[float, ...]] = None  # since_seen, channel by channel
    gaps: tuple[int, ...] = ()  # steps since the newest compute, between it and the one before, and so on
    seen_magnitude: MeasuredValue[float] = None  # mean |x_(i-1)| of the gate's signal, if it is not the latent
    computed_magnitude: MeasuredValue[float] = None  # mean |x_j| of that signal
    relative_change: MeasuredValue[float] = None  # mean over rows of since_seen / seen_magnitude, of that signal
    stream_index: int = 0  # position of the stream in the order of first calls
    shapes_match: bool = True  # input and output have the same shape, so they can be added
    noise_levels: NoiseLevels | None = None  # before each step of the whole run, and after the last
    sample: int = 0  # place in the batch; 0 until the samples of a batch are known apart
    is_continued: bool = False  # the start of the run was computed by others: the sampler or the expert before
    is_flow: bool | None = None  # the sampler goes straight from noise to picture; False: it removes noise, as DDIM
    has_text: bool = False  # the model reads a sequence of tokens beside the latent

    @property
    def progress(self) -> float | None:
        """How far the run is, 0 at its first step and 1 at its last."""
        return _compute_progress(self.index, self.total, self.sigma)


class Outcome(NamedTuple):
    """What was measured at a computed step. Changes are since the computed step before, and `None` at the first."""

    index: int  # pyright: ignore[reportIncompatibleMethodOverride]
    local_index: int
    total: int | None = None
    time: float | None = None
    sigma: float | None = None
    gap: int = 0  # steps between the two computes
    input_change: MeasuredValue[float] = None  # mean |x_i - x_j|
    output_change: MeasuredValue[float] = None  # mean |y_i - y_j|
    output_magnitude: MeasuredValue[float] = None  # mean |y_i|
    prediction_error: MeasuredValue[float] = None  # mean |y_i - prediction| / mean |y_i|
    input_by_channel: MeasuredValue[tuple[float, ...]] = None
    output_by_channel: MeasuredValue[tuple[float, ...]] = None
    gaps: tuple[int, ...] = ()  # `gap`, then the gaps between the computes before
    inner_products: MeasuredValue[InnerProducts] = None
    # share of the last prediction error that occurs again: <m, m before> / <m before, m before>
    error_correlation: MeasuredValue[float] = None
    noise_levels: NoiseLevels | None = None  # as in `Step`
    is_continued: bool = False  # as in `Step`, and these two
    is_flow: bool | None = None
    has_text: bool = False

    @property
    def progress(self) -> float | None:
        """How far the run was, as in `Step.progress`."""
        return _compute_progress(self.index, self.total, self.sigma)


def _compute_progress(index: int, total: int | None, sigma: float | None) -> float | None:
    if total is not None:
        return min(1.0, index / max(1, total - 1))
    return None if sigma is None else 1.0 - sigma


class PredictionWeights(NamedTuple):
    """A prediction as a weighted sum: input * x_i + references[k] . (x, y) of the k-th newest computed step.

    Plus `error_weight` times the prediction error at the newest computed step (the error of the sum without this term).

    Only outputs are kept of the older computed steps, unless the predictor `needs_past_inputs`: without it their
    first weight must be 0.
    """

    input: float
    references: tuple[tuple[float, float], ...]  # (weight of x_j, weight of y_j), newest first
    # used only if the engine keeps the error: when all followers are kept as differences from the leader
    error_weight: float = 0.0


class Decision(NamedTuple):
    """Whether to compute a step, and the reason, which is written to the trace."""

    compute: bool
    reason: str


StateT = TypeVar("StateT")


class Gate(Protocol[StateT]):
    """Decides at every step whether to compute or reuse.

    `streams`, `rows` and `reads` are constants of a gate, not constructor arguments (`field(default=..., init=False)`),
    or properties if a knob decides. Only `rows` is a knob of some gates.
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
        """What must be known before a decision. Empty: no device sync. "outcome": one after each computed step."""
        ...

    def init(self) -> StateT:
        """State at the first step of a run."""
        ...

    def decide(self, state: StateT, step: Step) -> tuple[Decision, StateT]:
        """Decide whether to compute. Called once per step, even if a guard overrides the result."""
        ...

    def learn(self, state: StateT, outcome: Outcome) -> StateT:
        """Update the state after a computed step. Called before the next `decide`; later if the gate reads nothing."""
        ...

    def explain(self, state: StateT) -> Mapping[str, float]:
        """Fields of `StepRecord` to show for the decision just taken."""
        ...


class Predictor(Protocol[StateT]):
    """Predicts the output of a reused step.

    `history_length`, `needs_inner_products`, `needs_past_inputs` and `needs_last_error` are constants of a predictor,
    not constructor arguments.
    """

    @property
    def history_length(self) -> int:
        """How many computed steps it uses."""
        ...

    @property
    def needs_inner_products(self) -> bool:
        """Whether it learns from the inner products of the moves between computed outputs."""
        ...

    @property
    def needs_past_inputs(self) -> bool:
        """Whether it needs the inputs of all computed steps it uses, not only of the newest."""
        ...

    @property
    def needs_last_error(self) -> bool:
        """Whether it needs its prediction error at the newest computed step."""
        ...

    def init(self) -> StateT:
        """State at the first step of a run."""
        ...

    def weights(self, state: StateT, step: Step) -> PredictionWeights:
        """The weighted sum that predicts this step's output."""
        ...

    def learn(self, state: StateT, outcome: Outcome) -> StateT:
        """Update the state after a computed step."""
        ...
