"""One call computed: learnt from and kept."""

from dataclasses import dataclass
from typing import Any

from navicache.engine.call import Call
from navicache.engine.containers import Output, unpack
from navicache.engine.decider import Decider
from navicache.engine.errors import CannotCache
from navicache.engine.fetch import Reading
from navicache.engine.fit import Fit, fit
from navicache.engine.leader import led, mends
from navicache.engine.lesson import Lesson, Moment, newest
from navicache.engine.proof import Proof
from navicache.engine.rows import Rows, alike, count, mean_abs, minus, plus, put, take
from navicache.engine.run import Run
from navicache.engine.stream import NOTHING, Stream
from navicache.models import Place
from navicache.policies import Weights


@dataclass
class Work:
    """A call of one stream at one step."""

    run: Run
    call: Call
    name: str
    decider: Decider
    stream: Stream
    samples: list[int]  # those to compute

    def rows(self) -> list[int] | None:
        """The rows to compute, in order; None for all rows."""
        if len(self.samples) == len(self.decider.layout):
            return None
        return sorted(row for sample in self.samples for row in self.decider.layout[sample])

    def computed(self, result: Any, latent: Rows, moment: Moment, place: Place | None, leads: bool) -> Any:
        """Learn from a result and keep it; returned as it is, or with predicted rows around it.

        `latent` is the engine's own copy of the latent part, from before the model ran.
        """
        rows, run = self.rows(), self.run
        output = unpack(result, place, self.call.listed)
        check_rows(output, run.rows if rows is None else len(rows))
        if not run.fitted:
            latent = self._settle_fit(latent, output)
        guess = self.guess(latent) if self.stream.history and (leads or rows is not None) else None
        kept = output._replace(rows=self.stream.kept(output.rows, rows)) if leads else self._apart(output)
        missed = self._missed(latent, kept, guess) if self.stream.history and mends(run, self.name, leads) else NOTHING
        if leads:
            self._teach(take(latent, rows), kept.rows, guess, missed, moment)
        else:
            self._teach_apart(output.rows, kept.rows, missed, moment)
        self.stream.shared = latent is run.last_seen and rows is None
        self.stream.remember(latent, kept, rows, missed)
        for sample in self.samples:
            self.stream.computed_at[sample] = newest(moment.index, self.stream.computed_at[sample], run.scheme)
        return result if rows is None or guess is None else self.stream.packed(put(guess, rows, output.rows))

    def guess(self, latent: Rows) -> Rows:
        """What the stream's output would be predicted as."""
        guess = self.stream.predict(latent, self._weights(), self.run.fit)
        return plus(guess, led(self.run)) if self.stream.apart else guess

    def _weights(self) -> list[Weights]:
        """Row by row, of outputs or of differences, as the stream keeps them."""
        computed_at = self.stream.computed_at
        if self.stream.apart:
            return self.decider.weights_apart(self.name, computed_at)
        return self.decider.row_weights(computed_at)

    def _missed(self, latent: Rows, kept: Output, guess: Rows | None) -> Rows:
        """How far the predicted course is from what was computed; amends it made on the way do not count."""
        rows, weights, course = self.rows(), self._weights(), guess
        if course is None or self.stream.apart or any(each.missed for each in weights):
            course = self.stream.predict(latent, [each._replace(missed=0.0) for each in weights], self.run.fit)
        return minus(kept.rows, self.stream.kept(take(course, rows), rows))

    def _apart(self, output: Output) -> Output:
        """A follower's output as it is kept: its difference from the leader's, where they are of one form."""
        stream, run, rows = self.stream, self.run, self.rows()
        lead = led(run) if run.apart and (stream.apart or not stream.history) else NOTHING
        if not stream.history:
            stream.apart = run.apart and rows is None and alike(output.rows, lead)
            stream.keeps_inputs &= not stream.apart  # a difference has none
            stream.branches = None if stream.apart else run.branches
        if not stream.apart:
            return output._replace(rows=stream.kept(output.rows, rows))
        return output._replace(rows=minus(output.rows, take(lead, rows)))

    def _teach_apart(self, outputs: Rows, kept: Rows, missed: Rows, moment: Moment) -> None:
        """Queue what a follower's difference teaches its own predictor, and whether its output is one to rely on."""
        run, rows, gauge = self.run, self.rows(), self.decider.gauge
        computed = range(run.rows) if rows is None else rows
        if self.stream.apart and self.stream.history:
            old = [run.inner(take(y, rows)) for _, y in self.stream.history]
            readings = gauge.difference(run.inner(kept), old) | self._repeated(missed)
            since = [steps or None for steps in self.stream.computed_at]
            self.decider.lessons.append(Lesson(moment, self.name, computed, since, readings, apart=True))
        if run.fetches:
            run.proofs.append(Proof(self.name, computed, mean_abs(outputs)))

    def _repeated(self, missed: Rows) -> dict[str, Reading]:
        """What was missed against what was missed before, in the same rows."""
        if not missed or not self.stream.missed:
            return {}
        before = take(self.stream.missed, self.rows())
        return self.decider.gauge.misses(self.run.inner(missed), self.run.inner(before))

    def _settle_fit(self, latent: Rows, output: Output) -> Rows:
        """Find out from the first output how the latent lies in input and output; returns its part of the input."""
        run = self.run
        try:
            run.fit = fit(self.call.latent, output.rows)
        except CannotCache:
            if self._adds_input() or "by_channel" in run.reads:
                raise
            run.fit, run.fits = Fit(), False
            for decider in run.deciders.values():
                decider.fits = False
        run.fitted, shared = True, latent is run.last_seen
        run.last_seen = run.fit.inner(run.last_seen)
        run.elements = sum(chunk.numel() for chunk in run.last_seen)
        if run.flags and run.fit.width is not None:
            run.flags = []
            run.watch_layout(run.last_seen)
        return run.last_seen if shared else run.fit.inner(latent)

    def _teach(self, latent: Rows, outputs: Rows, guess: Rows | None, missed: Rows, moment: Moment) -> None:
        """Queue what this compute shows against the one before."""
        rows, decider, inner = self.rows(), self.decider, self.run.inner
        pairs = zip(decider.computed_at, self.stream.computed_at, strict=True)
        since = [last if last and last == kept else None for last, kept in pairs]
        old, guessed = None, None
        if guess is not None and any(since[sample] is not None for sample in self.samples):
            x, _ = self.stream.history[0]
            outputs_before = [inner(take(y, rows)) for _, y in self.stream.history]
            old, guessed = (take(x, rows), outputs_before), inner(self.stream.kept(take(guess, rows), rows))
        readings = decider.gauge.compute(latent, inner(outputs), old, guessed) | self._repeated(missed)
        computed = range(self.run.rows) if rows is None else rows
        decider.note_compute(Lesson(moment, self.name, computed, since, readings), self.samples)

    def _adds_input(self) -> bool:
        return any(w.input or any(x for x, _ in w.references) for w in self.decider.weights(self.stream.computed_at))


def check_rows(output: Output, rows: int) -> None:
    """A model that returns another number of rows than it was given cannot be put together again."""
    if count(output.rows) != rows:
        raise CannotCache(
            f"the model returned {count(output.rows)} rows for {rows}: its output cannot be split by sample. "
            "Name the right arguments with call=CallSpec(latent=..., output=...)"
        )
