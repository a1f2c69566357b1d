"""Knobs from whole courses of outputs: L2P's weights as its training leaves them, MeanCache's errors by its latents."""

import numpy as np
import pytest
import torch
from tests.policies import transcription_outputs as plain
from tests.tiny.wan import WAN

from navicache.evaluation.fit_from_outputs import (
    LONGEST_SPAN,
    compute_gram_matrix,
    compute_meancache_errors,
    fit_l2p_weights,
    fit_meancache_edges,
)
from navicache.integrations.output_recording import record_outputs

STEPS = 8


def courses(runs: int, elements: int = 40) -> torch.Tensor:
    """Outputs that turn slowly, (runs, steps, elements)."""
    rng = np.random.default_rng(3)
    first, second = rng.normal(size=(2, runs, 1, elements))
    turn = np.linspace(0, 2, STEPS)[None, :, None]
    return torch.tensor(np.cos(turn) * first + np.sin(turn) * second + 0.01 * rng.normal(size=(runs, STEPS, elements)))


def test_the_weights_are_those_of_the_official_training():
    seen = courses(3)
    knobs, quality, errors = fit_l2p_weights([compute_gram_matrix(list(course)) for course in seen])
    expected = plain.trained(seen.numpy())
    flat = [w for i, row in enumerate(expected[:-1]) for w in row[: i + 1]]
    np.testing.assert_allclose(knobs["weights"], flat, atol=2e-6)
    assert quality["runs"] == 3
    assert quality["error"] < 0.7 * quality["held"]
    step, held, predicted = errors[-1]
    x = seen.numpy()
    made = np.einsum("j,rje->re", expected[step - 1][:step], x[:, :step])
    assert step == STEPS - 1
    assert held == pytest.approx(np.sqrt(((x[:, -1] - x[:, -2]) ** 2).mean() / (x[:, -1] ** 2).mean()))
    assert predicted == pytest.approx(np.sqrt(((x[:, -1] - made) ** 2).mean() / (x[:, -1] ** 2).mean()), rel=1e-6)


def test_runs_of_different_lengths_are_refused():
    seen = courses(1)[0]
    for grams in (
        [compute_gram_matrix(list(seen)), compute_gram_matrix(list(seen[:-1]))],
        [compute_gram_matrix(list(seen[:1]))],
    ):
        with pytest.raises(ValueError, match="one number, 2 or more"):
            fit_l2p_weights(grams)


def test_the_errors_are_those_of_latents_under_euler():
    sigmas = (1.0, 0.95, 0.85, 0.7, 0.55, 0.4, 0.2, 0.1, 0.0)
    seen = courses(2)
    found = [compute_meancache_errors(list(course), sigmas) for course in seen]
    for course, errors in zip(seen.numpy(), found, strict=True):
        moves = course * np.diff(sigmas)[:, None]
        latents = np.concatenate([np.zeros_like(moves[:1]), moves.cumsum(0)])
        for start, end, span in ((0, 3, 1), (1, 3, 2), (4, 7, 3), (6, 7, 6)):
            expected = plain.edge_cost(latents, course, sigmas, start, end, span)
            assert errors[span - 1, start, end] == pytest.approx(expected, rel=1e-9)
        assert np.isinf(errors[1, 0]).all(), "there is one output to look back on"
    knobs, quality, shown = fit_meancache_edges(found, sigmas)
    mean = np.mean(found, axis=0)
    assert knobs["sigmas"] == sigmas
    assert len(knobs["costs"]) == len(knobs["spans"]) == STEPS * (STEPS - 1) // 2
    assert set(knobs["spans"]) <= set(range(1, LONGEST_SPAN + 1))
    assert knobs["costs"][2] == pytest.approx(mean[:, 1, 2].min(), rel=1e-5)  # to step 1; to step 2 from 0 and 1
    assert (quality["runs"], shown[0][:2]) == (2, (0, 1))


@pytest.mark.parametrize("guidance", [True, False])
def test_a_probe_keeps_what_the_model_returned_and_changes_nothing(guidance):
    pipe, returned = WAN.build(), []
    full = WAN.call(pipe, steps=STEPS, guidance=guidance)
    with record_outputs(pipe) as probe:
        handle = pipe.transformer.register_forward_hook(lambda _, __, output: returned.append(output[0].flatten()))
        for _ in range(2):  # the newest run alone is kept
            returned.clear()
            assert torch.equal(WAN.call(pipe, steps=STEPS, guidance=guidance), full)
        handle.remove()
    branches = 2 if guidance else 1
    assert len(probe.outputs_by_branch) == branches
    for branch, course in enumerate(probe.outputs_by_branch.values()):
        torch.testing.assert_close(torch.stack(course), torch.stack(returned[branch::branches]).float())
