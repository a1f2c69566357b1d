"""Runs that are over with their first step: in a loop of such runs every step is computed, which must not be silent."""

from collections.abc import Callable

from navicache.engine.tracking.placement_rules import ANOTHER_SHAPE, TIME_BACK

FEWEST_LONE_RUNS = 2  # one is no loop: some pipelines begin with a call of another shape
LONE_RUNS_NOTE = "run after run was over with its first step, because of this: {}. A run of one step reuses nothing"
CAUSES = {  # in words for a user, of what a call alone shows
    ANOTHER_SHAPE: "a step may call the model at two batch sizes",
    TIME_BACK: "a step may call the model again with another latent",
}


class LoneRuns:
    """Counts them in a row."""

    def __init__(self) -> None:
        """Nobody listens."""
        self._count = 0
        self._warn: Callable[[str], object] = str

    def set_listener(self, warn: Callable[[str], object]) -> None:
        """Whom to tell, the first time, beside the trace."""
        self._warn = warn

    def count_run(self, step_count: int, total: int | None, is_complete: bool) -> None:
        """A run is over, after so many of its steps."""
        self._count = self._count + 1 if step_count == 1 and total != 1 and not is_complete else 0

    def report_loop(self, reason: str) -> str:
        """A note for a run that begins for this reason, and once a warning; empty unless runs before were cut short."""
        if self._count < FEWEST_LONE_RUNS:
            return ""
        note = LONE_RUNS_NOTE.format(f"{reason} ({CAUSES[reason]})" if reason in CAUSES else reason)
        if self._count == FEWEST_LONE_RUNS:
            self._warn(note)
        return note
