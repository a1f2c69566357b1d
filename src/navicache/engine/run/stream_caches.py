"""All streams of a run, and how they hang together: guidance branches kept as differences from the one that leads.

A follower in a call of its own differs from the leading call's output, a row of the leading call from the first row of
its sample. What leads is carried on along its course, and every difference, which guidance multiplies, along its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from navicache.engine.decide.decider import ComputedSteps, StreamDecider
from navicache.engine.decide.deciders import StreamDeciders
from navicache.engine.decide.pending_outcome import PendingOutcome
from navicache.engine.predict.branch_differences import BranchDifferences
from navicache.engine.predict.storage_options import StorageOptions
from navicache.engine.predict.stream_cache import StreamCache
from navicache.engine.run.difference_predictors import DifferencePredictors
from navicache.engine.run.latent_state import LatentState
from navicache.engine.tensors.rows import NO_ROWS, Rows, add_rows, have_same_format, subtract_rows, take_rows
from navicache.engine.tensors.sample_layout import expand_to_rows
from navicache.engine.tracking.batch_samples import BatchSamples
from navicache.policies import Outcome, PredictionWeights, Scheme
from navicache.policies.predictors import OUTPUT_HOLD_WEIGHTS


@dataclass
class StreamCaches:
    """The computed outputs of every stream, and the predictors of their differences."""

    scheme: Scheme
    storage: StorageOptions
    latent_state: LatentState
    batch: BatchSamples
    deciders: StreamDeciders
    own_predictors: DifferencePredictors | None = None  # of a further output; None: the deciders' own
    has_latent: bool = True  # else no inputs are kept
    by_name: dict[str, StreamCache] = field(default_factory=dict)
    leader: str | None = None  # of every step, as long as followers are kept as differences from it
    followers: set[str] = field(default_factory=set)  # those that are
    branch_differences: BranchDifferences | None = None  # rows of a sample that are kept as differences from its first
    stores_differences: bool = field(init=False)  # followers are kept as differences from the leader, where they can be
    difference_predictors: DifferencePredictors = field(init=False)

    def __post_init__(self) -> None:
        """Nothing is kept yet."""
        self.stores_differences = self.deciders.leader_decides and self.scheme.difference_predictor is not None
        predictor = self.scheme.difference_predictor or self.scheme.predictor
        self.difference_predictors = DifferencePredictors(predictor, self.batch)

    def get_or_create(self, name: str) -> StreamCache:
        """The stream of that name, new where it is called for the first time."""
        found = self.by_name.get(name)
        if found is None:
            predictor = self.scheme.predictor
            keeps_inputs, kept = predictor.needs_past_inputs and self.has_latent, self.branch_differences
            found = StreamCache(predictor.history_length, self.storage, self.batch, keeps_inputs, self.has_latent, kept)
            self.by_name[name] = found
        return found

    @property
    def computed_latents(self) -> dict[str, Rows]:
        """The latent of each stream's last computed step."""
        return {name: stream.history[0][0] for name, stream in self.by_name.items() if stream.history}

    # -- who leads ----------------------------------------------------------------------------------------------------

    def set_leader(self, name: str) -> None:
        """Set the stream that leads this step; if another one led before, differences from that one are dropped."""
        if not self.stores_differences:
            return
        if self.leader not in (None, name):
            for lost in self.followers:
                self.by_name[lost].clear_history_and_switch_form(self.branch_differences)
            self.stores_differences, self.followers = False, set()
        self.leader = name
        others = (other for other, stream in self.by_name.items() if other != name and stream.history)
        if not all(other in self.followers for other in others):  # asked at every step: a branch may come late
            for stream in self.by_name.values():
                stream.clear_last_error()  # amends are made together: they must leave differences as they are

    def compute_leader_output(self) -> Rows:
        """Compute the leader's output at this step again, which saves the memory of keeping it.

        Nothing where it has gone: the run was over, and one more branch of its last step has come.
        """
        leader = self.leader or ""
        stream = self.by_name.get(leader)
        if stream is None or not stream.history:
            return NO_ROWS
        steps = self.deciders.get_or_create(leader).steps
        references = stream.computed_steps
        done = [kept[:1] == (step.local_index,) for kept, step in zip(references, steps, strict=True)]
        computed = {row for now, rows in zip(done, self.batch.layout, strict=True) if now for row in rows}
        weights = enumerate(self.compute_row_weights(leader))
        again = [OUTPUT_HOLD_WEIGHTS if row in computed else weight for row, weight in weights]
        return stream.predict_output(self.latent_state.latent, again, self.latent_state.shared_channels)

    # -- predict ------------------------------------------------------------------------------------------------------

    def predict_output(self, name: str, latent: Rows) -> Rows:
        """What a stream's output is predicted as."""
        stream = self.get_or_create(name)
        weights = self.compute_row_weights(name)
        prediction = stream.predict_output(latent, weights, self.latent_state.shared_channels)
        return add_rows(prediction, self.compute_leader_output()) if name in self.followers else prediction

    def compute_row_weights(self, name: str) -> list[PredictionWeights]:
        """Row by row, of outputs or of differences, as the stream keeps them."""
        layout, decider = self.batch.layout, self.deciders.get_or_create(name)
        references = self.get_or_create(name).computed_steps
        if name in self.followers:
            return expand_to_rows(layout, self.difference_predictors.compute_weights(name, decider, references))
        weights = self._compute_leading_weights(decider, references)
        if self.branch_differences is None:
            return expand_to_rows(layout, weights)
        rows = range(1, len(layout[0]))
        places = ((decider.stream_index, row) for row in rows)
        columns = [self.difference_predictors.compute_weights(place, decider, references) for place in places]
        return expand_to_rows(layout, weights, [*zip(*columns, strict=True)])

    def _compute_leading_weights(
        self, decider: StreamDecider, references: list[ComputedSteps]
    ) -> list[PredictionWeights]:
        """Of the first row of every sample."""
        if self.own_predictors is None:
            return decider.compute_weights(references)
        return self.own_predictors.compute_weights((decider.stream_index, 0), decider, references)

    # -- keep and learn -----------------------------------------------------------------------------------------------

    def adopt_follower(self, name: str, output: Rows) -> None:
        """Keep a stream as its difference from the leader from its first output on, if the two can be subtracted."""
        stream = self.get_or_create(name)
        if not self.stores_differences or stream.history:
            return
        leader_output = self.compute_leader_output()
        if leader_output and have_same_format(output, leader_output):
            self.followers.add(name)
            stream.set_branch_differences(None)

    def encode_output(self, name: str, output: Rows, rows: Sequence[int] | None) -> Rows:
        """Encode an output for storage: a follower's as the difference from the leader's output."""
        if name in self.followers:
            return subtract_rows(output, take_rows(self.compute_leader_output(), rows))
        return self.get_or_create(name).encode_rows(output, rows)

    def corrects_errors(self, name: str, is_leading: bool) -> bool:
        """Whether predictions of a stream are corrected by its last error; not while the batch layout is unknown.

        Nor for a follower that is not stored as a difference: the leader's correction does not apply to it.
        """
        if not self.stores_differences or not (is_leading or name in self.followers):
            return False
        predictor = self.scheme.predictor if is_leading else self.difference_predictors.predictor
        known = self.branch_differences is not None or all(len(rows) == 1 for rows in self.batch.layout)
        return known and predictor.needs_last_error

    def learn_difference(self, name: str, sample: int, outcome: Outcome) -> None:
        """Take in what a follower's difference taught."""
        self.difference_predictors.learn_outcome(name, sample, outcome)

    def learn_first_row(self, name: str, sample: int, outcome: Outcome) -> None:
        """Take in what the first row of a sample taught, of an output with predictors of its own."""
        if self.own_predictors is not None:
            place = self.deciders.get_or_create(name).stream_index, 0
            self.own_predictors.learn_outcome(place, sample, outcome)

    def learn_branch_rows(self, pending: PendingOutcome, sample: int) -> None:
        """Take in what the rows of a sample that are kept as differences taught."""
        if self.branch_differences is None:
            return
        decider = self.deciders.get_or_create(pending.stream)
        for place, row in enumerate(self.batch.layout[sample][1:], 1):
            outcome = pending.build_outcome(sample, (row,), decider.recorder.to_run_index)
            if outcome is not None:
                self.difference_predictors.learn_outcome((decider.stream_index, place), sample, outcome)

    def forget_stream(self, name: str) -> None:
        """Drop what is kept of a stream; it is kept as it is from here on."""
        self.followers.discard(name)
        self.get_or_create(name).clear_history_and_switch_form(None)

    # -- the run goes on ----------------------------------------------------------------------------------------------

    def set_branch_differences(self, branches: BranchDifferences) -> None:
        """Keep guidance branches in one call as those in several are: as differences from the first."""
        self.branch_differences = branches
        for name, stream in self.by_name.items():
            stream.set_branch_differences(None if name in self.followers else branches)

    def release_tensors(self) -> None:
        """Let all tensors go."""
        self.by_name, self.followers = {}, set()
