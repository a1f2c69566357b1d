"""Every policy of the catalog on every kind of tiny transformer: twice the same, and off again without a trace."""

import pytest
import torch
from tests.tiny.cogvideox import COGVIDEOX
from tests.tiny.flux import FLUX
from tests.tiny.hunyuan import HUNYUAN
from tests.tiny.ltx import LTX
from tests.tiny.wan import WAN

import navicache
from navicache.engine import CannotCache
from navicache.policies import POLICIES, Blocks

STEPS = 12
FAMILIES = {family.name: family for family in (WAN, HUNYUAN, COGVIDEOX, LTX, FLUX)}
RATIOS = {"ratios": (1.0, *[0.98] * (STEPS - 1))}
LINES = {"weights": tuple(w for i in range(1, STEPS) for w in (*[0.0] * (i - 2), *(-0.5, 1.5)[-i:]))}
EDGES = [(start, end) for end in range(1, STEPS) for start in range(end)]
PATHS = {
    "sigmas": tuple(1 - i / STEPS for i in range(STEPS + 1)),
    "costs": tuple(float(end - start) for start, end in EDGES),
    "spans": (2,) * len(EDGES),
}
EAGER = {  # settings that reuse something in so short a run
    "navicache": {"threshold": 0.5, "align_steps": 2},
    "easycache": {"threshold": 0.5, "align_steps": 2},
    "ema": {"threshold": 0.5, "align_steps": 2},
    "inertial": {"speedup": 2.0, "align_steps": 3},
    "schedule": {"speedup": 2.0},
    "static": {"interval": 2},
    "random": {"probability": 0.5},
    "teacache": {"threshold": 0.5},
    "magcache": {**RATIOS, "threshold": 0.1},
    "pab": {"self_attention": 2, "self_window": (0, 1000)},
    "firstblockcache": {"threshold": 0.5},
    "dbcache": {"threshold": 0.5, "first": 1, "last": 0, "align_steps": 2},
    "taylorseer": {"interval": 3},
    "hicache": {"interval": 3},
    "seacache": {"threshold": 0.6},
    "l2p": {**LINES, "interval": 3},
    "meancache": {**PATHS, "budget": 6},
}
CAUTIOUS = {  # settings that compute everything
    **{name: {"threshold": 0.0} for name in POLICIES},
    "inertial": {"speedup": 1.0},
    "schedule": {"speedup": 1.0},
    "static": {"interval": 1},
    "random": {"probability": 1.0},
    "magcache": {**RATIOS, "threshold": 0.0, "longest_reuse": 0},
    "pab": {"self_attention": 1},
    "taylorseer": {"interval": 1},
    "hicache": {"interval": 1},
    "spectrum": {"window": 1.0, "growth": 0.0},
    "dbcache": {"threshold": 0.0, "first": 1},
    "l2p": {**LINES, "interval": 1},
    "meancache": {**PATHS, "budget": STEPS},
}
NO_FILTER = {"flux", "ltx"}  # latents of tokens, which have no frequencies to look at
CALLS = {"two": {"guidance": True}, "one": {"guidance": False}, "batch": {"batch": 2}}
WAYS = [
    pytest.param(family, call, marks=() if way == "two" or family is WAN else pytest.mark.slow, id=f"{way}-{name}")
    for name, family in FAMILIES.items()
    for way, call in CALLS.items()
]
every_policy = pytest.mark.parametrize("policy", POLICIES)
every_family = pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)


def skip_impossible(policy, family):
    if policy == "seacache" and family.name in NO_FILTER:
        pytest.skip("a latent of tokens has no frequencies; the error is tested below")


@every_policy
@pytest.mark.parametrize(("family", "call"), WAYS)
def test_twice_the_same_and_off_again(policy, family, call):
    skip_impossible(policy, family)
    pipe = family.build()
    names = [name for name, _ in pipe.transformer.named_parameters()]
    full = family.call(pipe, steps=STEPS, **call)
    with navicache.enable(pipe, policy, **EAGER.get(policy, {})) as cache:
        first, second = (family.call(pipe, steps=STEPS, **call) for _ in range(2))
        assert [name for name, _ in pipe.transformer.named_parameters()] == names
    runs = cache.trace.runs
    assert len(runs) == 2
    assert torch.equal(first, second)
    assert torch.isfinite(first).all()
    assert not torch.equal(first, full)
    assert torch.equal(family.call(pipe, steps=STEPS, **call), full)


@every_policy
@every_family
def test_the_most_cautious_setting_changes_no_bit(policy, family):
    skip_impossible(policy, family)
    pipe = family.build()
    full = family.call(pipe, steps=STEPS)
    with navicache.enable(pipe, policy, **CAUTIOUS[policy]) as cache:
        assert torch.equal(family.call(pipe, steps=STEPS), full)
    assert all(step.computed for step in cache.trace.runs[-1].steps)


@pytest.mark.parametrize("policy", ["navicache", "easycache", "ema", "inertial"])
@every_family
def test_our_policies_at_the_blocks(policy, family):
    pipe = family.build()
    full = family.call(pipe, steps=STEPS)
    with navicache.enable(pipe, policy, site="blocks", **EAGER.get(policy, {})) as cache:
        assert cache._attachments["transformer"].engine.scheme.site == Blocks()
        first, second = (family.call(pipe, steps=STEPS) for _ in range(2))
    assert torch.equal(first, second)
    assert not torch.equal(first, full)
    assert len(cache.trace.runs[-1].computed_steps()) < STEPS
    assert torch.equal(family.call(pipe, steps=STEPS), full)


@pytest.mark.parametrize("family", [FLUX, LTX], ids=["flux", "ltx"])
def test_a_latent_of_tokens_has_no_frequencies(family):
    pipe = family.build()
    with pytest.raises(CannotCache, match="choose a policy that watches something else"):
        navicache.enable(pipe, "seacache")
        family.call(pipe, steps=STEPS)
    family.call(pipe, steps=STEPS)  # taken off again


def test_blocks_that_cannot_be_found():
    with pytest.raises(ValueError, match=r"looked for blocks, .* lists of modules are: parts \(1 x Linear\)"):
        navicache.enable(Odd(), "teacache")
    with pytest.raises(ValueError, match="looked for nothing_like_it"):
        navicache.enable(WAN.build(), "teacache", blocks=("nothing_like_it",))
    with pytest.raises(TypeError, match="is not a module"):
        navicache.enable(lambda x, t: x, "teacache")


class Odd(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = torch.nn.ModuleList([torch.nn.Linear(2, 2)])

    def forward(self, x, t):
        return self.parts[0](x)


def test_more_outer_blocks_than_there_are():
    with pytest.raises(ValueError, match="nothing is left to reuse"):
        navicache.enable(WAN.build(layers=2), "dbcache", first=2)


def test_shadow_mode_at_the_blocks_keeps_to_either_trajectory():
    pipe = WAN.build()
    full = WAN.call(pipe, steps=STEPS)
    knobs = {"site": "blocks", **EAGER["navicache"]}
    with navicache.enable(pipe, "navicache", **knobs):
        reused = WAN.call(pipe, steps=STEPS)
    for shadow, expected in (("cached", reused), ("full", full)):
        with navicache.enable(pipe, "navicache", shadow=shadow, **knobs) as cache:
            torch.testing.assert_close(WAN.call(pipe, steps=STEPS), expected)
        errors = [step.reuse_error for step in cache.trace.runs[-1].leading if not step.computed]
        assert errors
        assert all(error is not None and error > 0 for error in errors)


def test_what_is_added_between_blocks_is_not_left_out():
    class Controlled(torch.nn.Module):  # as a control net does it, in the model's loop
        def __init__(self):
            super().__init__()
            self.blocks = torch.nn.ModuleList([torch.nn.Linear(4, 4) for _ in range(3)])

        def forward(self, x, t, control=None):
            for inner in self.blocks:
                x = inner(x)
                x = x if control is None else x + control
            return x

    model, x = Controlled(), torch.randn(1, 3, 4)
    policy = navicache.policies.MagCache(ratios=RATIOS["ratios"], threshold=1.0)
    with torch.no_grad(), navicache.enable(model, policy, steps=10):
        for t in range(10):
            model(x * (1 - t / 10), float(10 - t))
    with torch.no_grad(), pytest.raises(CannotCache, match="added between the blocks"):
        navicache.enable(model, policy, steps=10)
        model(x, 10.0, control=torch.ones(4))
