"""What is measured on the device: of an input at every step, of an output where it was computed."""

import itertools
from dataclasses import dataclass

from navicache.engine.decide.pending_outcome import ERROR_PRODUCT_NAMES, name_product_reading
from navicache.engine.tensors.device_readings import DeviceReading
from navicache.engine.tensors.rows import (
    Rows,
    measure_mean_abs,
    measure_mean_abs_by_channel,
    measure_mean_product,
    subtract_rows,
)

ReadingsByName = dict[str, DeviceReading]


@dataclass(frozen=True)
class Measurements:
    """Queues readings, and only those that a gate reads or a predictor learns from."""

    measurement_names: frozenset[str]
    needs_inner_products: bool
    channel_dim: int | None = None

    def measure_input(self, latent_change: Rows | None, latent: Rows, computed_latent: Rows | None) -> ReadingsByName:
        """Measure the change of the latent since the previous step and since the last computed one."""
        readings: ReadingsByName = {}
        if latent_change is not None and "since_seen" in self.measurement_names:
            readings["since_seen"] = measure_mean_abs(latent_change)
        if latent_change is not None and "by_channel" in self.measurement_names:
            readings["by_channel"] = self._measure_by_channel(latent_change)
        if computed_latent is not None and "since_computed" in self.measurement_names:
            readings["since_computed"] = measure_mean_abs(subtract_rows(latent, computed_latent))
        return readings

    def measure_output(
        self, inputs: Rows, outputs: Rows, previous: tuple[Rows, list[Rows]] | None, prediction: Rows | None
    ) -> ReadingsByName:
        """Measure an output against the previous inputs and outputs, and against its prediction."""
        readings = {"output_magnitude": measure_mean_abs(outputs)}
        if previous is not None and prediction is not None:
            dx, dy = subtract_rows(inputs, previous[0]), subtract_rows(outputs, previous[1][0])
            readings |= {"input_change": measure_mean_abs(dx), "output_change": measure_mean_abs(dy)}
            readings["prediction_error"] = measure_mean_abs(subtract_rows(outputs, prediction))
            if "by_channel" in self.measurement_names:
                readings["input_by_channel"] = self._measure_by_channel(dx)
                readings["output_by_channel"] = self._measure_by_channel(dy)
            if self.needs_inner_products:
                before = itertools.starmap(subtract_rows, itertools.pairwise(previous[1]))
                readings |= self._measure_inner_products([dy, *before])
        return readings

    def measure_difference(self, difference: Rows, previous: list[Rows]) -> ReadingsByName:
        """Measure a follower's difference from the leader, for its own predictor."""
        moves = list(itertools.starmap(subtract_rows, itertools.pairwise([difference, *previous])))
        return {"output_magnitude": measure_mean_abs(difference), **self._measure_inner_products(moves)}

    def measure_error_correlation(self, error: Rows, previous_error: Rows) -> ReadingsByName:
        """Measure how much of the previous prediction error is repeated by this one."""
        return {
            ERROR_PRODUCT_NAMES[0]: measure_mean_product(error, previous_error),
            ERROR_PRODUCT_NAMES[1]: measure_mean_product(previous_error, previous_error),
        }

    def _measure_inner_products(self, moves: list[Rows]) -> ReadingsByName:
        """Measure the inner products of all pairs of moves; nothing with fewer than two moves."""
        if len(moves) < 2:
            return {}
        pairs = itertools.combinations_with_replacement(range(len(moves)), 2)
        return {name_product_reading(a, b): measure_mean_product(moves[a], moves[b]) for a, b in pairs}

    def _measure_by_channel(self, rows: Rows) -> DeviceReading:
        return measure_mean_abs_by_channel(rows, self._find_channel_dim(rows))

    def _find_channel_dim(self, rows: Rows) -> int:
        return self.channel_dim or (2 if rows[0].ndim == 3 else 1)
