"""Runs that are too short to reuse a step."""

USUAL_ALIGN_STEPS = 3  # where a policy leaves their number to its target


def explain_short_run(total: int | None, align_steps: int | None, min_total_steps: int) -> str | None:
    """Return a note for the trace of a run that is too short; None if it is long enough or its length is unknown."""
    align_steps = align_steps or USUAL_ALIGN_STEPS
    if total is None or total >= max(align_steps + 3, min_total_steps):
        return None
    reason = f"a run of {total} steps has hardly one to spare (a target of your own, speedup=..., would insist)"
    if total < align_steps + 3:
        reason = f"{total} steps leave next to nothing to reuse after {align_steps} to align"
    return f"{reason}: stepped aside, every step is computed"
