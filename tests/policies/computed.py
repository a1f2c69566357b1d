"""Which steps a policy computes, asked step by step without a tensor."""

from navicache.policies import MagCache, Outcome, Step


def computed_steps(policy, total, told=True, start=0, errors=lambda index: 0.01, **facts):
    """Drive the guarded gate through the steps from `start` on; predictions err by errors(step).

    `facts` are fields of the steps, called with the index where they can be.
    """
    (scheme,) = policy.schemes()
    state, last, steps = scheme.gate.init(), None, []
    for index in range(start, total):
        own, gap = index - start, 0 if last is None else index - last
        size, change = (None if last is None else 1.0), (None if own == 0 else 0.1)
        known = {"index": index, "local_index": own, "total": total if told else None}
        more = {name: fact(index) if callable(fact) else fact for name, fact in facts.items()}
        step = Step(**known, since_seen=change, output_magnitude=size, gap=gap)
        decision, state = scheme.gate.decide(state, step._replace(**more))
        if decision.compute:
            error = None if last is None else errors(index)
            outcome = Outcome(**known, gap=gap, output_magnitude=1.0, prediction_error=error)
            state, last = scheme.gate.learn(state, outcome), index
            steps.append(index)
    return steps


def computed_by_branch(policy: MagCache, total: int, branch: int = 0, tell_total: bool = True) -> list[int]:
    """Steps a branch computes; the gate asks for nothing but the step."""
    gate = policy.schemes()[0].gate
    assert gate.reads == frozenset()
    state, steps, gap = gate.init(), [], 0
    for i in range(total):
        step = Step(index=i, local_index=i, total=total if tell_total else None, stream_index=branch, gap=gap)
        decision, state = gate.decide(state, step)
        gap = 1 if decision.compute else gap + 1
        steps += [i] if decision.compute else []
    return steps
