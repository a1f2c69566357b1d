"""The cache of all calls with one latent shape; an engine handles a single shape."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import torch
from torch import Tensor

from navicache.engine import CallFacts, CallReader, ModelEngine, StorageOptions
from navicache.models import CallSpec
from navicache.policies import Policy

from .evaluation_plan import EvaluationPlan, Place
from .output_line import OutputLine
from .sampler_traits import OutputForm

CALL_SPEC = CallSpec(latent=0, time=1, conditioning=())  # branches are identified by name, not by conditioning


class KeptOutput(NamedTuple):
    """A branch's output at a level, for later evaluations at that level."""

    output: Tensor  # where and as what the user wants it stored
    computed: bool


class LatentShapeCache:
    """The cache of one latent shape; areas and context windows make several shapes in one step."""

    def __init__(
        self, policy: Policy, model_class: str, output_form: OutputForm, keep: StorageOptions, draws_lines: bool = False
    ) -> None:
        """Start before the first call; `keep` is also for what later evaluations reuse, or extend along lines."""
        reader, describe = CallReader(CALL_SPEC, None), self._describe_call
        self.engine = ModelEngine(policy, reader, model=model_class, call=CALL_SPEC, keep=keep, describe_call=describe)
        self.current_step: tuple[int, int] | None = None  # segment and level of the newest call
        self._output_form, self._keep, self._call_facts, self._sigma = output_form, keep, CallFacts(), 0.0
        self._key: tuple[int, int, str] = (0, 0, "")  # segment, level and branch of the next call
        self.returns = False  # whether a later evaluation is at its level
        self._draws_lines, self._lines = draws_lines, dict[tuple[int, str], OutputLine]()  # by segment and branch
        self._kept: dict[tuple[int, int, str], KeptOutput] = {}
        self._output_dtype = torch.float32  # as outputs come, before they are stored
        self._segment_tokens: dict[int, object] = {}  # one per segment

    def _describe_call(self) -> CallFacts:
        return self._call_facts

    def set_position(self, number: int, place: Place, branch: str, sigma: float, plan: EvaluationPlan) -> None:
        """Set the evaluation, its place and the branch of the next call; forget what no evaluation comes back to."""
        (segment, level, _), last = place, plan.last_evaluations
        self.current_step = max(self.current_step or (segment, level), (segment, level))
        self._key, self._sigma = (segment, level, branch), sigma
        self.returns = number < last[segment, level]
        self._kept = {key: kept for key, kept in self._kept.items() if number <= last[key[:2]]}
        self._lines = {key: line for key, line in self._lines.items() if key[0] == segment}
        token = self._segment_tokens.setdefault(segment, object())
        noise = sigma if 0 <= sigma <= 1 else None
        total, is_continued = len(plan.levels[segment]), plan.is_segment_continued(segment)
        of_run = (token, partial(plan.read_noise_levels, segment), plan.is_flow)
        self._call_facts = CallFacts(branch, level, total, noise, *of_run, has_text=True, is_continued=is_continued)

    @property
    def kept(self) -> KeptOutput | None:
        """What the branch of the next call returned at this level before."""
        return self._kept.get(self._key)

    def reuse_output(self, kept: KeptOutput, x: Tensor, sigma: Tensor) -> Tensor:
        """Rebuild the denoised latent from this branch's earlier output at the same level."""
        return self._rebuild(kept.output, x, sigma)

    def compute_again(self, run_model: Callable[[], Tensor], x: Tensor, sigma: Tensor) -> Tensor:
        """Compute the output of a level once more; from now on it is the one to reuse there."""
        denoised = run_model()
        if self.returns or self._draws_lines:
            self._keep_output(self._output_form.from_denoised(denoised, x, _expand_sigma(sigma, x)), computed=True)
        return denoised

    def extend_output(self, x: Tensor, sigma: Tensor) -> Tensor | None:
        """Predict the denoised latent along the line of this branch's computed outputs; None where there is none."""
        segment, level, branch = self._key
        line = self._lines.get((segment, branch))
        output = None if line is None else line.extend(level, self._sigma)
        return None if output is None else self._rebuild(output, x, sigma)

    def _rebuild(self, stored: Tensor, x: Tensor, sigma: Tensor) -> Tensor:
        return self._output_form.to_denoised(stored.to(x.device, self._output_dtype), x, _expand_sigma(sigma, x))

    def _keep_output(self, output: Tensor, computed: bool) -> None:
        (segment, level, branch), stored = self._key, output.to(self._keep.device, self._keep.dtype)
        self._output_dtype = output.dtype
        if self.returns:
            self._kept[self._key] = KeptOutput(stored, computed)
        if self._draws_lines and computed:
            self._lines.setdefault((segment, branch), OutputLine()).add(level, self._sigma, stored)

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
        kept = self.engine(forward, (x, self._sigma, rows), {})
        self._keep_output(kept, bool(computed))
        return (computed[0], True) if computed else (self._output_form.to_denoised(kept, x, level), False)


def _expand_sigma(sigma: Tensor, x: Tensor) -> Tensor:
    """The noise level of every row, in the shape of the latent."""
    return sigma.reshape(-1, *[1] * (x.ndim - 1))
