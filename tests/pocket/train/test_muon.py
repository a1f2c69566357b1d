"""Ours against torch's own, matrix by matrix."""

import torch

from navicache_pocket.train.muon import Muon, orthogonalise


def test_the_same_steps_as_torch():
    torch.manual_seed(0)
    shapes = [(8, 8), (24, 8), (8, 8), (8, 24)]
    ours, theirs = ([torch.nn.Parameter(torch.randn(shape)) for shape in shapes] for _ in range(2))
    for own, other in zip(ours, theirs, strict=True):
        other.data.copy_(own.data)
    fast = Muon(ours, 0.01)
    slow = torch.optim.Muon(theirs, lr=0.01, weight_decay=0.01, adjust_lr_fn="match_rms_adamw")
    for _ in range(5):
        for own, other in zip(ours, theirs, strict=True):
            own.grad = torch.randn_like(own)
            other.grad = own.grad.clone()
        fast.step()
        slow.step()
    for own, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(own, other, atol=1e-3, rtol=0)  # one bfloat16 rounding of a step of 0.01


def test_turned_matrices_are_nearly_orthogonal():
    values = torch.linalg.svdvals(orthogonalise(torch.randn(3, 16, 6)).float())
    assert values.min() > 0.6
    assert values.max() < 1.3


def test_a_matrix_without_a_gradient_stays():
    still, moved = (torch.nn.Parameter(torch.eye(4)) for _ in range(2))
    moved.grad = torch.ones(4, 4)
    Muon([still, moved], 0.1).step()
    assert torch.equal(still, torch.eye(4))
    assert not torch.equal(moved, torch.eye(4))


def test_a_kernel_is_moved_as_its_matrix_is():
    torch.manual_seed(0)
    kernel, matrix = torch.nn.Parameter(torch.randn(4, 2, 3, 3)), torch.nn.Parameter(torch.empty(4, 18))
    matrix.data.copy_(kernel.data.flatten(1))
    kernel.grad = torch.randn(4, 2, 3, 3)
    matrix.grad = kernel.grad.flatten(1)
    for weight in (kernel, matrix):
        Muon([weight], 0.1).step()
    assert torch.equal(kernel.flatten(1), matrix)


def test_a_matrix_of_next_to_nothing_stays_next_to_nothing():
    for size in (0.0, 1e-30, 1e-42):
        turned = orthogonalise(torch.full((2, 8, 4), size))
        assert turned.isfinite().all() and turned.abs().max() <= 1e10 * size
