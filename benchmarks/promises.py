"""Do the targets of `inertial` keep their word? On held-out prompts of the embedded model, one at a time.

    python benchmarks/promises.py                                # max_error=0.05 in shadow mode, 64 prompts
    python benchmarks/promises.py --speedups 1.5 2 2.5 3         # computed steps of every prompt too

`max_error`: every step is computed, and the true error of what was reused is held against the limit. `speedup`: the
computed steps of every prompt, against those of the target.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from quality_runs import Bench, add_model_options
from tqdm import tqdm

import navicache
from navicache.policies import Inertial


def errors_of(bench: Bench, row: int, steps: int, limit: float) -> dict[str, Any]:
    """The true relative errors of one prompt's reused steps."""
    with navicache.enable(bench.pipe, Inertial(max_error=limit), shadow="cached") as cache:
        bench.latents([row], steps)
        run = cache.trace.runs[-1]
    reused = [step for step in run.leading if not step.computed]
    errors = [float(f"{step.reuse_error:.4g}") for step in reused if step.reuse_error is not None]
    return {"prompt": bench.prompts[row], "reused": len(reused), "errors": errors}


def computed_of(bench: Bench, row: int, steps: int, speedup: float) -> int:
    """Computed steps of one prompt."""
    with navicache.enable(bench.pipe, Inertial(speedup=speedup)) as cache:
        bench.latents([row], steps)
        return cache.trace.runs[-1].computed


def report(found: dict[str, Any]) -> str:
    """Both promises in words."""
    lines, limit = [], found["limit"]
    rows = [row for row in found["max_error"] if row["errors"]]
    if rows:
        errors = [error for row in rows for error in row["errors"]]
        reused = [100 * row["reused"] / found["steps"] for row in found["max_error"]]
        within = [share(row["errors"], limit) for row in rows]
        lines.append(
            f"max_error={limit:g}, {len(reused)} prompts: {sum(reused) / len(reused):.1f} % of the steps reused "
            f"({min(reused):.0f} % at least), true error within the limit at {share(errors, limit):.1f} % of them "
            f"({min(within):.0f} % in the worst prompt), largest {max(errors):.3f}"
        )
    for speedup, counts in found["speedup"].items():
        off = max(abs(found["steps"] / count / float(speedup) - 1) for count in counts)
        computed = f"{min(counts)} to {max(counts)} computed"
        lines.append(f"speedup={speedup}, {len(counts)} prompts: {computed}, {100 * off:.1f} % off at most")
    return "\n".join(lines)


def share(errors: Sequence[float], limit: float) -> float:
    """How many of them are within the limit, in percent."""
    return 100 * sum(error <= limit for error in errors) / len(errors)


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """All prompts."""
    options = _options(arguments)
    bench = Bench(options)
    bench.schedule(options.scheduler)
    found: dict[str, Any] = {"steps": options.steps, "limit": options.limit, "dtype": options.dtype}
    found |= {
        "scheduler": options.scheduler,
        "max_error": [],
        "speedup": {str(speed): [] for speed in options.speedups},
    }
    for row in tqdm(range(options.prompts), unit="prompt"):
        found["max_error"].append(errors_of(bench, row, options.steps, options.limit))
        for speedup in options.speedups:
            found["speedup"][str(speedup)].append(computed_of(bench, row, options.steps, speedup))
        beside = options.out.with_suffix(".part")
        beside.write_text(json.dumps(found))
        beside.replace(options.out)
    print(report(found))
    return found


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add: Any = parser.add_argument
    add_model_options(add)
    add("--out", type=Path, default=Path("build/promises.json"))
    add("--prompts", type=int, default=64)
    add("--steps", type=int, default=50)
    add("--limit", type=float, default=0.05)
    add("--speedups", type=float, nargs="*", default=[])
    options = parser.parse_args(arguments)
    options.tune, options.batch = False, 1
    options.out.parent.mkdir(parents=True, exist_ok=True)
    return options


if __name__ == "__main__":
    main()
