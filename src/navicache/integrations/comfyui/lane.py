"""All calls of one shape: an engine of their own, since an engine knows one shape of latent."""

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
        self._name, self._kept = "", dict[str, Tensor]()  # what every stream was answered at this step
        self._tokens: dict[int, object] = {}  # one for each stretch

    def _surroundings(self) -> Host:
        return self._host

    def enter(self, place: Place, name: str, sigma: float) -> None:
        """Say where the next call stands, and the name of its stream."""
        if place != self.place:
            self.place, self._kept = place, {}
        token = self._tokens.setdefault(place.stretch, object())
        self._host = Host(name, place.step, place.total, sigma if 0 <= sigma <= 1 else None, token)
        self._name, self._time = name, sigma

    @property
    def answered(self) -> bool:
        """Whether the stream of the next call has had an answer at this step."""
        return self._name in self._kept

    def hold(self, x: Tensor, sigma: Tensor) -> Tensor:
        """The denoised latent, from the answer that the stream has had at this step."""
        return self._form.denoised(self._kept[self._name], x, _level(sigma, x))

    def answer(self, model: Callable[[], Tensor], x: Tensor, sigma: Tensor) -> tuple[Tensor, bool]:
        """The denoised latent, and whether the model was asked for it.

        Rows of a call are computed together. Where only some need it, the others get what was computed as well.
        """
        computed: list[Tensor] = []
        level = _level(sigma, x)

        def forward(latent: Tensor, time: float, rows: Tensor) -> Tensor:
            del latent, time
            computed.append(model())
            kept = self._form.kept(computed[0], x, level)
            return kept if rows.shape[0] == x.shape[0] else kept[rows]

        rows = torch.arange(x.shape[0])
        kept = self._kept[self._name] = self.engine(forward, (x, self._time, rows), {})
        return (computed[0], True) if computed else (self._form.denoised(kept, x, level), False)


def _level(sigma: Tensor, x: Tensor) -> Tensor:
    """The noise level of every row, in the shape of the latent."""
    return sigma.reshape(-1, *[1] * (x.ndim - 1))
