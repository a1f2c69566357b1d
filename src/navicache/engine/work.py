"""One call carried out: predicted from what is kept, or computed, learnt from and kept."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from navicache.engine.call import Call
from navicache.engine.containers import Output, unpack
from navicache.engine.decider import Decider, Lesson, Moment
from navicache.engine.errors import CannotCache
from navicache.engine.fit import Fit, fit
from navicache.engine.rows import Rows, count, put, take
from navicache.engine.run import Run
from navicache.engine.stream import Stream
from navicache.models import Place


@dataclass(frozen=True)
class Work:
    """A call of one stream at one step."""

    run: Run
    call: Call
    name: str
    moment: Moment
    place: Place | None  # of the prediction in the model's output

    @property
    def decider(self) -> Decider:
        """Who decided."""
        return self.run.decider(self.name)

    @property
    def stream(self) -> Stream:
        """What is kept."""
        return self.run.stream(self.name)

    def rows_of(self, samples: Sequence[int]) -> list[int]:
        """The rows of some samples, in order."""
        return sorted(row for sample in samples for row in self.decider.layout[sample])

    def predicted(self) -> Any:
        """What the model would return, as far as can be told."""
        return self._packed(self._guess())

    def computed(self, result: Any, samples: Sequence[int], leads: bool) -> Any:
        """Learn from a result and keep it; returned as it is, or with predicted rows around it."""
        rows = self.rows_of(samples)
        output = unpack(result, self.place, self.call.listed)
        check_rows(output, len(rows))
        if self.run.fit is None:
            self.run.fit = self._fit(output, rows)
            self.run.last_seen = self.run.fit.inner(self.run.last_seen)
        whole = len(rows) == self.run.rows
        guess = self._guess() if self.stream.history and (leads or not whole) else None
        latent = self.run.owned(self.call)
        if leads:
            self._teach(take(latent, rows), output.rows, guess, samples, rows)
        self.stream.remember(latent, output, rows, self.run.rows)
        for sample in samples:
            self.stream.computed_at[sample] = self.moment.index
        return result if whole or guess is None else self._packed(put(guess, rows, output.rows))

    def _guess(self) -> Rows:
        weights = self.decider.weights(self.moment, self.name)
        latent = self.run.inner(self.call.latent)
        return self.stream.predict(latent, weights, self.decider.layout, self.run.fit or Fit())

    def _packed(self, rows: Rows) -> Any:
        rebuild = self.stream.rebuild
        return rows[0] if rebuild is None else rebuild(rows)

    def _teach(
        self, latent: Rows, outputs: Rows, guess: Rows | None, samples: Sequence[int], rows: Sequence[int]
    ) -> None:
        """Queue what this compute shows against the one before."""
        decider, stream, inner = self.decider, self.stream, self.run.inner
        pairs = zip(decider.computed_at, stream.computed_at, strict=True)
        since = [last if last == kept else None for last, kept in pairs]
        old, guessed = None, None
        if guess is not None and any(since[sample] is not None for sample in samples):
            old = (take(stream.history[0][0], rows), inner(take(stream.history[0][1], rows)))
            guessed = inner(take(guess, rows))
        readings = decider.compare(latent, inner(outputs), old, guessed)
        decider.note_compute(Lesson(self.moment, self.name, rows, since, readings), samples)

    def _fit(self, output: Output, rows: Sequence[int]) -> Fit:
        return fit(take(self.call.latent, rows), output.rows) if self._adds_input() else Fit()

    def _adds_input(self) -> bool:
        weights = self.decider.weights(self.moment, self.name)
        return any(w.input or any(x for x, _ in w.references) for w in weights)


def check_rows(output: Output, rows: int) -> None:
    """A model that returns another number of rows than it was given cannot be put together again."""
    if count(output.rows) != rows:
        raise CannotCache(
            f"the model returned {count(output.rows)} rows for {rows}: its output cannot be split by sample; "
            'use a policy with rows="call"'
        )
