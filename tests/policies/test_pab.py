"""PAB against a transcription of its rule, and on Open-Sora's own timesteps."""

from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st
from tests.policies import transcription_rivals as plain

from navicache.models import load_published_presets
from navicache.policies import PAB, Step, build_policy

OPEN_SORA_TIMES = [1000, 992, 984, 976, 968, 960, 952, 940, 932, 920, 908, 892, 880, 864, 848, 828, 808, 788, 764, 736]
OPEN_SORA_TIMES += [708, 676, 636, 596, 548, 492, 426, 350, 258, 143]  # 480p, 51 frames


def pab_schemes(policy: PAB, times: list) -> dict[str, list[bool]]:
    decided = {}
    for scheme in policy.schemes():
        state, steps = scheme.gate.init(), []
        for i, t in enumerate(times):
            step = Step(index=i, local_index=i, total=len(times), time=t)
            decision, state = scheme.gate.decide(state, step)
            steps.append(decision.compute)
        decided[scheme.site.kind] = steps
    return decided


def test_pab_on_open_sora():
    """Worked out from the published ranges, windows and keys on these timesteps: 480p, 51 frames, 30 steps."""
    policy = build_policy("pab", **load_published_presets("pab", "Open-Sora-1.2")["mid"].knobs)
    decided = pab_schemes(policy, OPEN_SORA_TIMES)
    reused = {kind: [i for i, compute in enumerate(steps) if not compute] for kind, steps in decided.items()}
    assert reused == {
        "self_attention": list(range(9, 26, 2)),
        "temporal_attention": [9, 10, 11, 13, 14, 15, 17, 18, 19, 21, 22, 23, 25],
        "cross_attention": [9, 10, 11, 13, 14, 15, 16, 17, 19, 20, 21, 22, 23, 25],
        "mlp": [14, 15, 18, 19, 22, 23],
    }
    assert policy.schemes()[-1].site.blocks == (0, 1, 2, 3, 4)


@limits(deadline=None)
@given(
    st.integers(2, 60),
    st.integers(1, 9),
    st.tuples(st.integers(0, 500), st.integers(501, 1000)),
    st.lists(st.integers(0, 59), max_size=5),
    st.integers(0, 4),
)
def test_pab(total, every, window, places, reuses):
    times = [1000 - i * 1000 / total + 0.4 for i in range(total)]
    keys = (*(int(times[place % total]) for place in places), 3)
    policy = PAB(self_attention=every, self_window=window, mlp_keys=keys, mlp_reuses=reuses)
    decided = pab_schemes(policy, times)
    assert decided["self_attention"] == plain.pab_attention(times, every, *window)
    assert decided["mlp"] == plain.pab_mlp(times, keys, reuses)


def test_pab_without_a_timestep_computes():
    decided = pab_schemes(PAB(mlp_keys=(500,)), [None] * 5)  # pyright: ignore[reportArgumentType]
    assert all(all(steps) for steps in decided.values())
