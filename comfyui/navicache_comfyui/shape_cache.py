"""The cache of all calls with one latent shape; an engine handles a single shape."""

from collections.abc import Callable

import torch
from torch import Tensor

from navicache.engine import CallFacts, CallReader, ModelEngine
from navicache.models import CallSpec
from navicache.policies import Policy

from .sampler_traits import OutputForm
from .sigma_tracker import SegmentStep, SigmaTracker

CALL_SPEC = CallSpec(latent=0, time=1, conditioning=())  # branches are identified by name, not by conditioning


class LatentShapeCache:
    """The cache of one latent shape; areas and context windows make several shapes in one step."""

    def __init__(self, policy: Policy, model_class: str, output_form: OutputForm) -> None:
        """Start before the first call."""
        self.engine = ModelEngine(
            policy, CallReader(CALL_SPEC, None), model=model_class, call=CALL_SPEC, describe_call=self._describe_call
        )
        self.current_step: SegmentStep | None = None  # of the newest call
        self._output_form, self._call_facts, self._sigma = output_form, CallFacts(), 0.0
        self._branch, self._branch_outputs = "", dict[str, Tensor]()  # the output of every branch at this step
        self._segment_tokens: dict[int, object] = {}  # one per segment

    def _describe_call(self) -> CallFacts:
        return self._call_facts

    def set_position(self, step: SegmentStep, branch: str, sigma: float, sigma_tracker: SigmaTracker) -> None:
        """Set the step and the branch of the next call."""
        if step != self.current_step:
            self.current_step, self._branch_outputs = step, {}
        token = self._segment_tokens.setdefault(step.segment, object())
        level, levels = sigma if 0 <= sigma <= 1 else None, sigma_tracker.read_noise_levels
        self._call_facts = CallFacts(branch, step.step, step.total_steps, level, token, levels)
        self._branch, self._sigma = branch, sigma

    @property
    def has_output(self) -> bool:
        """Whether the branch of the next call already has an output at this step."""
        return self._branch in self._branch_outputs

    def reuse_output(self, x: Tensor, sigma: Tensor) -> Tensor:
        """Rebuild the denoised latent from this branch's earlier output at the same step."""
        return self._output_form.to_denoised(self._branch_outputs[self._branch], x, _expand_sigma(sigma, x))

    def compute_or_predict(self, run_model: Callable[[], Tensor], x: Tensor, sigma: Tensor) -> tuple[Tensor, bool]:
        """Return the denoised latent, and whether it was computed.

        Rows of a call are computed together: if some are computed, all get the computed output.
        """
        computed: list[Tensor] = []
        level = _expand_sigma(sigma, x)

        def forward(latent: Tensor, time: float, rows: Tensor) -> Tensor:
            del latent, time
            computed.append(run_model())
            kept = self._output_form.from_denoised(computed[0], x, level)
            return kept if rows.shape[0] == x.shape[0] else kept[rows]

        rows = torch.arange(x.shape[0])
        kept = self._branch_outputs[self._branch] = self.engine(forward, (x, self._sigma, rows), {})
        return (computed[0], True) if computed else (self._output_form.to_denoised(kept, x, level), False)


def _expand_sigma(sigma: Tensor, x: Tensor) -> Tensor:
    """The noise level of every row, in the shape of the latent."""
    return sigma.reshape(-1, *[1] * (x.ndim - 1))
