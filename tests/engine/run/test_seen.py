"""The latent last seen, and where it lies."""

import torch
from tests.engine.toys.calls import called
from tests.engine.toys.parts import first, rows

from navicache.engine.run.seen import Seen
from navicache.engine.tensors.fit import Fit

WIDE = torch.tensor([[1.0, 2.0, 50.0, 60.0]])


def test_what_was_seen_is_a_copy():
    latent, seen = torch.ones(1, 4), Seen()
    seen.see(called(latent), (latent,))
    latent.zero_()
    assert first(seen.last) == [1]
    assert seen.elements == 4


def test_the_steps_own_copy_serves_whoever_was_handed_the_same_tensor():
    latent, seen = torch.ones(1, 4), Seen()
    seen.see(called(latent), (latent,))
    assert seen.owned(called(latent)) is seen.last
    other = seen.owned(called(latent.clone()))
    assert other is not seen.last
    assert torch.equal(other[0], latent)


def test_the_first_output_tells_which_channels_are_latent():
    seen = Seen()
    seen.see(called(WIDE), (WIDE,))
    shared = seen.settle(Fit(1, 2), seen.last)
    assert shared is seen.last, "a follower of the same step shares it"
    assert (seen.last[0].tolist(), seen.elements) == ([[1, 2]], 2)
    assert seen.inner((WIDE,))[0].tolist() == [[1, 2]]
    assert seen.fitted
    assert seen.fits


def test_where_input_and_output_have_nothing_in_common_all_of_the_input_counts():
    seen = Seen()
    seen.see(called(WIDE), (WIDE,))
    seen.settle(None, rows(3))
    assert (seen.fits, seen.fitted, seen.elements) == (False, True, 4)
    assert seen.inner((WIDE,))[0] is WIDE


def test_released_it_holds_no_tensor():
    seen = Seen()
    seen.see(called(WIDE), (WIDE,))
    seen.release()
    assert (seen.input, seen.last) == ((), ())
