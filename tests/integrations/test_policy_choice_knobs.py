"""What a knob means where no policy is named: three targets stand in a table, every other one is refused."""

from __future__ import annotations

from dataclasses import fields

import pytest

from navicache.integrations.policy_choice import DEFAULT_POLICY, POLICY_OF_TARGET, choose_policy_name
from navicache.policies import POLICIES

OWNERS = {
    f.name: [name for name in POLICIES if f.name in {g.name for g in fields(POLICIES[name])}]  # pyright: ignore[reportArgumentType]
    for kind in POLICIES.values()
    for f in fields(kind)  # pyright: ignore[reportArgumentType]
}
OTHERS = [knob for knob in OWNERS if knob not in POLICY_OF_TARGET]


def test_the_table() -> None:
    assert POLICY_OF_TARGET == {"threshold": "navicache", "speedup": "inertial", "max_error": "inertial"}
    assert choose_policy_name(None, {}) == DEFAULT_POLICY == "inertial"


@pytest.mark.parametrize(("target", "policy"), POLICY_OF_TARGET.items())
def test_a_target_means_one_policy_that_has_it(target: str, policy: str) -> None:
    assert choose_policy_name(None, {target: 0.5}) == policy
    assert policy in OWNERS[target]


@pytest.mark.parametrize("knob", OTHERS)
def test_any_other_knob_needs_its_policys_name(knob: str) -> None:
    with pytest.raises(ValueError, match="name the policy too") as caught:
        choose_policy_name(None, {knob: 1})
    said = str(caught.value)
    assert said.startswith(f"{knob} is a knob of {', '.join(OWNERS[knob])}: ")
    assert f'enable(target, "{OWNERS[knob][0]}", {knob}=...)' in said


@pytest.mark.parametrize(("target", "policy"), POLICY_OF_TARGET.items())
@pytest.mark.parametrize("knob", OTHERS)
def test_beside_a_target_only_knobs_of_the_policy_it_means(knob: str, target: str, policy: str) -> None:
    for order in ([target, knob], [knob, target]):
        if policy in OWNERS[knob]:
            assert choose_policy_name(None, order) == policy
        else:
            with pytest.raises(
                ValueError, match=f"^{knob} is a knob of {', '.join(OWNERS[knob])}: name the policy too"
            ):
                choose_policy_name(None, order)


@pytest.mark.parametrize("name", POLICIES)
def test_a_name_decides_whatever_the_knobs(name: str) -> None:
    assert choose_policy_name(name, OWNERS) == name


@pytest.mark.parametrize(
    ("knob", "told"),
    [
        ("speed_up", "no policy has a knob 'speed_up': did you mean 'speedup'?"),
        ("zzzzzz", "no policy has a knob 'zzzzzz'$"),
    ],
)
def test_what_no_policy_has(knob: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        choose_policy_name(None, {knob: 1})


def test_two_targets_are_left_to_the_policy_that_refuses_them() -> None:
    assert choose_policy_name(None, {"threshold": 0.1, "speedup": 2.0}) == DEFAULT_POLICY
