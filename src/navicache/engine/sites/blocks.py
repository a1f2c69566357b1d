"""Site `blocks`: the model runs, but its inner blocks are computed or predicted as one."""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from navicache.engine.errors import CannotCache
from navicache.engine.run.shadow import witness
from navicache.engine.sites.anatomy import Anatomy
from navicache.engine.sites.attention import attention_input
from navicache.engine.sites.block_form import BlockForm, nothing_between, same_tokens
from navicache.engine.sites.block_list import BlockList, Through
from navicache.engine.sites.core import Core
from navicache.engine.sites.visit import Visit
from navicache.engine.tensors.graphs import refuse, refuse_in_graphs
from navicache.engine.tracking.call import Call
from navicache.policies import Blocks


class BlockEngine(Core):
    """Caches the blocks of one model: to be called in place of its forward."""

    _refuse = staticmethod(refuse)

    def __init__(self, anatomy: Anatomy, *args: Any, **options: Any) -> None:
        """Nothing is attached yet; the options are those of every engine."""
        super().__init__(*args, **options)
        site = self.scheme.site
        self.site, self.anatomy, self.count = site if isinstance(site, Blocks) else Blocks(), anatomy, anatomy.count
        if self.site.first + self.site.last >= self.count:
            raise ValueError(
                f"{self.site.first} first and {self.site.last} last blocks always run, and {self.count} is all there "
                "are: nothing is left to reuse"
            )
        self.forms: dict[type[nn.Module], BlockForm] = {}
        self.visit: Visit | None = None
        self.texts: dict[str, Tensor] = {}  # what the blocks have added to each stream's text
        self._handles: list[Any] = []

    def attach(self) -> None:
        """Put stand-ins for the lists of blocks into the model."""
        self._refuse = refuse_in_graphs()
        for name, own in self.anatomy.lists.items():
            setattr(self.anatomy.model, name, BlockList(own, self._taker))
        if isinstance(self.scheme.signal, str) and self.scheme.signal.startswith("time"):
            self._handles.append(self._listen(self.scheme.signal))

    def detach(self) -> None:
        """Put the model's own lists back."""
        for name, own in self.anatomy.lists.items():
            setattr(self.anatomy.model, name, own)
        while self._handles:
            self._handles.pop().remove()

    def __call__(self, forward: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """The model's forward, with its blocks going through this engine."""
        if torch.compiler.is_compiling():
            self._refuse()
        try:
            self.visit = visit = Visit(self.reader.read(args, kwargs), self.surroundings())
            output = forward(*args, **kwargs)
            if visit.place + 1 != self.count:
                raise CannotCache(
                    f"the model called {visit.place + 1} of its {self.count} blocks: name the right lists with "
                    "enable(..., blocks=(...)), or use a policy at the site of the whole model"
                )
        except BaseException:
            self.abort()
            raise
        finally:
            self.visit = None
        self.close_if_over()
        return output

    def _taker(self) -> Through | None:
        return None if self.visit is None else self._pass

    def _pass(self, block: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """One block: outside the site it runs, inside it is computed, or passes on what was predicted."""
        visit = self.visit
        if visit is None:
            return block(*args, **kwargs)
        form = self.forms.setdefault(type(block), BlockForm.of(block))
        hidden, text = form.read(args, kwargs)
        place = visit.go_on(hidden)
        if not self.site.first <= place < self.count - self.site.last:
            return block(*args, **kwargs)
        if place == self.site.first:
            visit.arrive(block, args, kwargs, text)
            with torch.no_grad():
                hidden, text = self._arrive(visit, hidden)
        if visit.predicted is not None and self.shadow is None:
            return form.pack(hidden, text)
        self._check_chain(visit, hidden)
        result = block(*args, **kwargs)
        if form.returned is None:
            form = self.forms[type(block)] = form.seen(result, hidden, text, self.anatomy.returns.get(type(block)))
        visit.came_out(form.split(result)[0])
        if place < self.count - self.site.last - 1:
            return result
        with torch.no_grad():
            return self._leave(visit, form, result)

    def _check_chain(self, visit: Visit, hidden: Tensor) -> None:
        """At the first step of a run: a block must be handed what the one before returned, and nothing else."""
        before = visit.after
        if before is not None and before is not hidden and not self.at.own_index:
            nothing_between(before, hidden)

    def _arrive(self, visit: Visit, hidden: Tensor) -> tuple[Tensor, Tensor | None]:
        """At the first block of the site: decide; the tokens to go on with, predicted ones where they are reused."""
        call = visit.call._replace(latent=(hidden,), listed=False)
        run, name = self.enter(call, visit.host)
        if run.aside:
            return hidden, visit.text
        work = run.work(self.at.own_index, name, call)
        if work is not None:
            visit.compute(work)
            return hidden, visit.text
        tokens, added = run.predicted(name, call), self.texts.get(name)
        visit.predict(tokens)
        return tokens, visit.text if visit.text is None or added is None else visit.text + added

    def _leave(self, visit: Visit, form: BlockForm, result: Any) -> Any:
        """After the last block of the site: keep what was computed."""
        hidden, text = form.split(result)
        work, run = visit.work, self.run
        if work is not None and run is not None:
            hidden = hidden[:, -work.latent[0].shape[1] :]  # where text was put before the video, as in Flux 2
            same_tokens(work.latent[0], hidden)
            self.came_through(work.latent[0], hidden)
            run.computed(work, hidden, self.at.moment, None, self.leads)
            if text is not None and visit.text is not None and text.shape == visit.text.shape:
                self.texts[work.name] = text - visit.text
        elif visit.predicted is not None and run is not None:  # in shadow mode
            witness(run, self.at, (visit.predicted,), (hidden,))
            return form.pack(visit.predicted, text) if self.shadow == "cached" else result
        return result

    def came_through(self, before: Tensor, after: Tensor) -> None:
        """For engines that look on: what the site was handed, and what it has made of it."""

    def drop(self) -> None:
        """What was added to texts belongs to the run."""
        self.texts = {}

    def signal(self, call: Call, sigma: float | None) -> Tensor:
        """What the gate watches, from inside the blocks."""
        visit, kind = self.visit, self.scheme.signal
        if visit is None or visit.leader is None or not isinstance(kind, str):
            return super().signal(call, sigma)
        if kind == "modulated":
            return attention_input(*visit.leader)
        if kind == "first_residual":
            begun = call.latent[0] if visit.begun is None else visit.begun
            same_tokens(begun, call.latent[0])
            return call.latent[0] - begun
        return visit.captured[kind]

    def _listen(self, kind: str) -> Any:
        """Hear the output of the submodule that makes a signal."""
        if kind not in self.anatomy.signals:
            raise ValueError(
                f"it is not known where {type(self.anatomy.model).__name__} embeds its time: use signal='modulated'"
            )

        def hear(_: nn.Module, __: tuple[Any, ...], output: Tensor) -> None:
            if self.visit is not None:
                self.visit.hear(kind, output.detach())

        return self.anatomy.model.get_submodule(self.anatomy.signals[kind]).register_forward_hook(hear)
