"""All calls of one shape: an engine of their own, since an engine knows one shape of latent."""

from collections import Counter
from collections.abc import Callable

import torch
from torch import Tensor

from navicache.engine import Engine, Host, Reader
from navicache.integrations.comfyui.course import Place
from navicache.integrations.comfyui.samplers import Form
from navicache.models import CallSpec
from navicache.policies import Policy

CALL = CallSpec(latent=0, time=1, conditioning=())  # streams are told apart by name, not by what they are given


class Lane:
    """Areas and context windows make several shapes in one step, and so several lanes."""

    def __init__(self, policy: Policy, model: str, form: Form) -> None:
        """Nothing has been called."""
        self.engine = Engine(policy, Reader(CALL, None), model=model, call=CALL, surroundings=self._surroundings)
        self.place: Place | None = None  # of the newest call
        self._form, self._host, self._time = form, Host(), 0.0
        self._called: Counter[str] = Counter()  # in this step
        self._tokens: dict[int, object] = {}  # one for each stretch

    def _surroundings(self) -> Host:
        return self._host

    def enter(self, place: Place, stream: str, sigma: float) -> None:
        """Say where the next call stands; a stream that is called again in its step is another one."""
        if place != self.place:
            self.place, self._called = place, Counter()
        self._called[stream] += 1
        times = self._called[stream]
        name = stream if times == 1 else f"{stream}#{times}"
        token = self._tokens.setdefault(place.stretch, object())
        self._host = Host(name, place.step, place.total, sigma if 0 <= sigma <= 1 else None, token)
        self._time = sigma

    def answer(self, model: Callable[[], Tensor], x: Tensor, sigma: Tensor) -> tuple[Tensor, bool]:
        """The denoised latent, and whether the model was asked for it.

        Rows of a call are computed together. Where only some need it, the others get what was computed as well.
        """
        computed: list[Tensor] = []
        level = sigma.reshape(-1, *[1] * (x.ndim - 1))

        def forward(latent: Tensor, time: float, rows: Tensor) -> Tensor:
            del latent, time
            computed.append(model())
            kept = self._form.kept(computed[0], x, level)
            return kept if rows.shape[0] == x.shape[0] else kept[rows]

        rows = torch.arange(x.shape[0])
        kept = self.engine(forward, (x, self._time, rows), {})
        return (computed[0], True) if computed else (self._form.denoised(kept, x, level), False)
