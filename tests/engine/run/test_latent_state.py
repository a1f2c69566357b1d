"""The latent last seen, and where it lies."""

import torch
from tests.engine.toys.calls import called
from tests.engine.toys.parts import first, rows

from navicache.engine.run.latent_state import LatentState
from navicache.engine.tensors.shared_channels import SharedChannels

WIDE = torch.tensor([[1.0, 2.0, 50.0, 60.0]])


def test_what_was_seen_is_a_copy():
    latent, seen = torch.ones(1, 4), LatentState()
    seen.set_latent(called(latent), (latent,))
    latent.zero_()
    assert first(seen.latent) == [1]
    assert seen.element_count == 4


def test_the_steps_own_copy_serves_whoever_was_handed_the_same_tensor():
    latent, seen = torch.ones(1, 4), LatentState()
    seen.set_latent(called(latent), (latent,))
    assert seen.copy_call_latent(called(latent)) is seen.latent
    other = seen.copy_call_latent(called(latent.clone()))
    assert other is not seen.latent
    assert torch.equal(other[0], latent)


def test_the_first_output_tells_which_channels_are_latent():
    seen = LatentState()
    seen.set_latent(called(WIDE), (WIDE,))
    shared = seen.set_shared_channels(SharedChannels(1, 2), seen.latent)
    assert shared is seen.latent, "a follower of the same step shares it"
    assert (seen.latent[0].tolist(), seen.element_count) == ([[1, 2]], 2)
    assert seen.take_latent_channels((WIDE,))[0].tolist() == [[1, 2]]
    assert seen.are_channels_known
    assert seen.shapes_match


def test_where_input_and_output_have_nothing_in_common_all_of_the_input_counts():
    seen = LatentState()
    seen.set_latent(called(WIDE), (WIDE,))
    seen.set_shared_channels(None, rows(3))
    assert (seen.shapes_match, seen.are_channels_known, seen.element_count) == (False, True, 4)
    assert seen.take_latent_channels((WIDE,))[0] is WIDE


def test_released_it_holds_no_tensor():
    seen = LatentState()
    seen.set_latent(called(WIDE), (WIDE,))
    seen.release_tensors()
    assert (seen.caller_latent, seen.latent) == ((), ())
