"""What is measured on the device: of an input at every step, of an output where it was computed."""

import itertools
from dataclasses import dataclass

from navicache.engine.decide.lesson import MISSES, product_name
from navicache.engine.tensors.fetch import Reading
from navicache.engine.tensors.rows import Rows, mean_abs, mean_abs_by_channel, mean_product, minus

Readings = dict[str, Reading]


@dataclass(frozen=True)
class Gauge:
    """Queues readings, and only those that a gate reads or a predictor learns from."""

    reads: frozenset[str]
    products: bool
    channel_dim: int | None = None

    def input(self, change: Rows | None, latent: Rows, computed: Rows | None) -> Readings:
        """Changes since the last step seen, and since the last one computed."""
        readings: Readings = {}
        if change is not None and "since_seen" in self.reads:
            readings["since_seen"] = mean_abs(change)
        if change is not None and "by_channel" in self.reads:
            readings["by_channel"] = self._by_channel(change)
        if computed is not None and "since_computed" in self.reads:
            readings["since_computed"] = mean_abs(minus(latent, computed))
        return readings

    def compute(self, inputs: Rows, outputs: Rows, old: tuple[Rows, list[Rows]] | None, guess: Rows | None) -> Readings:
        """What a compute teaches; `old` is the input and outputs before, `guess` the prediction."""
        readings = {"output_magnitude": mean_abs(outputs)}
        if old is not None and guess is not None:
            dx, dy = minus(inputs, old[0]), minus(outputs, old[1][0])
            readings |= {"input_change": mean_abs(dx), "output_change": mean_abs(dy)}
            readings["prediction_error"] = mean_abs(minus(outputs, guess))
            if "by_channel" in self.reads:
                readings |= {"input_by_channel": self._by_channel(dx), "output_by_channel": self._by_channel(dy)}
            if self.products:
                readings |= self._products([dy, *itertools.starmap(minus, itertools.pairwise(old[1]))])
        return readings

    def difference(self, difference: Rows, old: list[Rows]) -> Readings:
        """What a follower's difference teaches its own predictor."""
        moves = list(itertools.starmap(minus, itertools.pairwise([difference, *old])))
        return {"output_magnitude": mean_abs(difference), **self._products(moves)}

    def misses(self, missed: Rows, before: Rows) -> Readings:
        """What tells how far a miss repeats the one before."""
        return {MISSES[0]: mean_product(missed, before), MISSES[1]: mean_product(before, before)}

    def _products(self, moves: list[Rows]) -> Readings:
        """Every product of two moves; a first move alone teaches nothing."""
        if len(moves) < 2:
            return {}
        pairs = itertools.combinations_with_replacement(range(len(moves)), 2)
        return {product_name(a, b): mean_product(moves[a], moves[b]) for a, b in pairs}

    def _by_channel(self, rows: Rows) -> Reading:
        return mean_abs_by_channel(rows, self._channel(rows))

    def _channel(self, rows: Rows) -> int:
        return self.channel_dim or (2 if rows[0].ndim == 3 else 1)
