"""What the blocks have added to the tokens beside the video's: those of text and sound."""

from dataclasses import dataclass, field

from navicache.engine.decide.pending_outcome import PendingOutcome
from navicache.engine.run.outcome_measurement import measure_error
from navicache.engine.run.run_state import RunState
from navicache.engine.sites.block_signature import SOUND_NAME, OtherTokens
from navicache.engine.tracking.run_tracker import RunTracker


@dataclass
class TokenResiduals:
    """The residuals of each stream's newest compute."""

    by_stream: dict[str, OtherTokens] = field(default_factory=dict)

    def predict_tokens(self, stream: str, before: OtherTokens) -> OtherTokens:
        """What the blocks would make of these tokens; those without a residual stay."""
        added = self.by_stream.get(stream, {})
        return {name: tokens + added[name] if name in added else tokens for name, tokens in before.items()}

    def set_residuals(self, stream: str, before: OtherTokens, after: OtherTokens) -> None:
        """Take in a compute."""
        pairs = {name: (tokens, before[name]) for name, tokens in after.items() if name in before}
        self.by_stream[stream] = {name: a - b for name, (a, b) in pairs.items() if a.shape == b.shape}

    def queue_sound_error(self, run: RunState, tracker: RunTracker, before: OtherTokens, after: OtherTokens) -> None:
        """Queue for the trace how far the sound's prediction is off; of the leading call alone, as for the video."""
        stream = tracker.called_streams[-1]
        follows = run.leader_decides and stream != tracker.called_streams[0]
        if follows or SOUND_NAME not in self.by_stream.get(stream, {}):
            return
        readings = measure_error((after[SOUND_NAME],), (self.predict_tokens(stream, before)[SOUND_NAME],))
        since = [*run.streams.get_or_create(stream).computed_steps]
        place = tracker.position, stream, range(run.row_count), since
        run.pending_outcomes.queue_outcomes([PendingOutcome(*place, readings, "truth", (SOUND_NAME,))])
