"""The shadow runs of a benchmark, each with the run that computed every step."""

from navicache.cli.report.results import BenchResults
from navicache.evaluation.bench.jobs import EVERY_STEP
from navicache.evaluation.bench.rows import Row
from navicache.records import RunRecord


def shadow_runs(results: BenchResults) -> dict[tuple[str, str], list[tuple[Row, RunRecord, RunRecord]]]:
    """Shadow runs by model and setting, each with the run of the same prompt that computed every step."""
    shadows = [row for row in results.rows if row["kind"] == "shadow"]
    truths = {row["group"]: results.run(row) for row in shadows if row["setting"] == EVERY_STEP.name}
    found: dict[tuple[str, str], list[tuple[Row, RunRecord, RunRecord]]] = {}
    for row in shadows:
        truth, run = truths.get(row["group"]), results.run(row)
        if truth is not None and run is not None:
            found.setdefault((row["model"], row["setting"]), []).append((row, run, truth))
    return found
