"""What the predictions of one gap were off by is made up for in the next."""

import pytest
import torch
from tests.engine.toys.engines import Custom, engine_for
from tests.engine.toys.gates import Told, told

import navicache
from navicache.policies import DeadReckoning, Outcome

TOTAL = 24
COMPUTED = (0, 1, 2, 4, 7, 8, 10)
KINK = 3  # the course is a line up to here, and one twice as steep, three higher, beyond


def course(i: int) -> float:
    return float(i) if i < KINK else 2.0 * i + KINK


def outputs(predictor, *, names=("cond", "uncond"), apart=True, rows=(0.0,), steps=COMPUTED, model=None):
    """What each branch is given at every step; "uncond" is "cond" and 100 more, "odd" has twice the channels.

    `rows` is what the latents of a batch differ by: rows of one latent are guidance branches of one sample.
    """
    now = {"index": 0, "name": ""}

    def plain(x, t):
        value = torch.full_like(x, course(round(TOTAL - float(t))) + 100 * (now["name"] == "uncond"))
        return torch.cat([value, value], 1) if now["name"] == "odd" else value

    policy = Custom(Told("sample", steps=steps), predictor, apart=apart)
    cached = engine_for(model or plain, policy, describe_call=told(now, TOTAL))
    given: dict[str, list] = {}
    for i in range(12):
        for name in names(i) if callable(names) else names:
            now.update(index=i, name=name)
            latent = torch.stack([torch.full((4, 8), i + own) for own in rows])
            given.setdefault(name, []).append(cached(latent, float(TOTAL - i)))
    return given


def gained(**how):
    """What amends add to every step of every branch."""
    with_them, without = (outputs(DeadReckoning(amends=made), **how) for made in (True, False))
    return {
        name: [(a - b).mean().item() for a, b in zip(with_them[name], without[name], strict=True)] for name in with_them
    }


def test_what_predictions_were_off_by_is_added_to_as_many():
    """Step 4 was to be 4 and is 11: missed by 7, so 3 was off by 9/24 of that; 5 pays it, and 6 owes nothing."""
    for name, added in gained().items():
        assert added[:5] == [0] * 5, name
        assert added[5:7] == pytest.approx([7 * 9 / 24, 0]), name
        assert added[7:9] == [0] * 2, "computed"


def test_a_compute_right_after_another_leaves_nothing_to_make_up_for():
    """Nothing was predicted between 7 and 8, so 9 is left alone; between 8 and 10 something was."""
    added = gained()["cond"]
    assert added[9] == 0
    assert added[11] != 0


def test_what_amends_added_is_not_taken_for_the_course():
    """Step 7 is missed by the same, whether or not 5 and 6 made amends for what was missed before."""
    missed = course(7) - outputs(DeadReckoning(), steps=(0, 1, 2, 4))["cond"][7].mean().item()
    predictor = DeadReckoning(amends=True)
    belief = predictor.init()
    for repeat in (0.0, missed / 7):  # at 2 nothing is missed, at 4 there is nothing to repeat
        belief = predictor.learn(belief, Outcome(index=7, local_index=7, error_correlation=repeat))
    lasting = predictor.compute_lasting_error_share(belief)
    assert 0 < lasting < 1, "at 7 it is missed to the other side than at 4"
    added = gained(steps=(0, 1, 2, 4, 7))["cond"]
    assert added[8:11] == pytest.approx([lasting * missed * 14 / 36] * 2 + [0], rel=1e-5)


@pytest.mark.parametrize("rows", [(0.0, 7.0), (0.0, 0.0)], ids=["samples", "branches"])
def test_every_row_makes_up_for_its_own(rows):
    """The second row keeps to its line, whatever happens to the first: as a branch it takes back what that one adds."""

    def model(x, t):
        i = round(TOTAL - float(t))
        return torch.stack([torch.full_like(x[0], course(i)), torch.full_like(x[1], float(i))])

    how = {"names": ("cond",), "rows": rows, "model": model}
    with_them, without = (outputs(DeadReckoning(amends=made), **how)["cond"] for made in (True, False))
    assert (with_them[5] - without[5]).mean((1, 2)).tolist() == pytest.approx([7 * 9 / 24, 0.0], abs=1e-5)


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ({"apart": False}, "a follower would have to make amends of its own"),
        ({"apart": False, "rows": (0.0, 0.0)}, "so would a branch in the same call"),
        ({"names": ("cond", "uncond", "odd")}, "a follower of another form stays behind"),
    ],
    ids=["not apart", "not apart in one call", "another form"],
)
def test_no_amends_where_a_branch_would_not_go_along(how, why):
    assert all(value == 0 for value in gained(**how)["cond"]), why


def test_errors_of_one_sign_no_longer_add_up():
    """Along a parabola every prediction falls short: what is lost in all is what the latent would be off by."""

    def parabola(x, t):
        return torch.full_like(x, (TOTAL - float(t)) ** 2)

    steps = (0, 1, 2, 5, 8, 11)
    lost = {}
    for made in (False, True):
        given = outputs(DeadReckoning(amends=made), names=("cond",), steps=steps, model=parabola)["cond"]
        lost[made] = sum((output.mean().item() - i**2) for i, output in enumerate(given))
    assert lost[False] < 0
    assert abs(lost[True]) < 0.5 * abs(lost[False])


def test_a_branch_of_another_form_that_comes_late_ends_them_with_the_next_step():
    """It comes at step 6, between the two others: they still agree there, and from 7 on nobody makes amends."""

    def names(i):
        return ("cond", "odd", "uncond") if i >= 6 else ("cond", "uncond")

    steps = (0, 1, 2, 5, 9)  # 5 is missed by 8
    for name in ("cond", "uncond"):
        assert gained(steps=steps)[name][6:8] == pytest.approx([8 * 14 / 36] * 2, rel=1e-5), name
        assert gained(steps=steps, names=names)[name][6:8] == pytest.approx([8 * 14 / 36, 0], rel=1e-5), name


def test_channels_beyond_the_latents_are_left_as_they_were():
    """Of eight output channels four answer to the latent: only they are predicted, and only they make amends."""

    def model(x, t):
        value = torch.full_like(x, course(round(TOTAL - float(t))))
        return torch.cat([value, 10 * value], 1)

    with_them, without = (
        outputs(DeadReckoning(amends=made), names=("cond",), model=model)["cond"] for made in (True, False)
    )
    added = (with_them[5] - without[5]).mean((0, 2))
    assert added.tolist() == pytest.approx([7 * 9 / 24] * 4 + [0.0] * 4)


def test_a_branch_after_the_last_call_that_was_expected():
    """Guidance is off for a while and back at the last step: by its second call the run had let all tensors go."""
    cached = navicache.enable(lambda x, t, text: 0.9 * x + text.mean(), steps=16, speedup=2.0)
    texts = torch.zeros(1, 3), torch.ones(1, 3)
    for i in range(16):
        x = torch.full((1, 4, 8), 16.0 - i)
        for text in texts if i < 8 or i == 15 else texts[:1]:
            output = cached(x, float(16 - i), text)
    assert torch.allclose(output, 0.9 * x + 1)
    assert cached.trace.runs[0].computed < 16
