"""What the number of steps of a run means for the cache, and what the trace says of it."""

from collections.abc import Iterator

from navicache.policies import Scheme

USUAL_ALIGN_STEPS = 3  # where a policy leaves their number to its target
LEAST_SPARE_STEPS = 3  # beyond the alignment


def is_too_short(total: int | None, align_steps: int | None, scheme: Scheme) -> bool:
    """Whether nothing is reused in a run of so many steps; None stands for an unknown number."""
    fewest = max((align_steps or USUAL_ALIGN_STEPS) + LEAST_SPARE_STEPS, scheme.min_total_steps)
    return total is not None and total < fewest


def list_length_notes(total: int | None, align_steps: int | None, scheme: Scheme) -> Iterator[str]:
    """Notes for the trace: the number of steps is unknown, too small, or small."""
    align_steps = align_steps or USUAL_ALIGN_STEPS
    if total is None:
        if scheme.computes_last_step:
            yield "the number of steps is unknown, so the last one is not forced: enable(..., steps=N)"
    elif is_too_short(total, align_steps, scheme):
        reason = f"a run of {total} steps has hardly one to spare (a target of your own, speedup=..., would insist)"
        if total < align_steps + LEAST_SPARE_STEPS:
            reason = f"{total} steps leave next to nothing to reuse after {align_steps} to align"
        yield f"{reason}: stepped aside, every step is computed"
    elif total < scheme.few_steps_below:
        yield f"of {total} steps one in four is reused at most (a target of your own, speedup=..., would insist)"
