"""NaviCache's node, ComfyUI's own EasyCache node and fewer steps, at one count: `python -m tests.comfyui.compare`.

Every sampling leaves one line in the file of rows, and what is there is not sampled again: stop it, and go on later.
"""

import argparse
import math
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice, product
from pathlib import Path

import torch
from tests.comfyui import inside
from tests.comfyui.grid import PROMPTS as GRID_PROMPTS
from tests.comfyui.grid import SPACINGS, Cell, cells
from tests.comfyui.rows import PROMPTS, ROWS, SAMPLERS, Row, Rows, Setting, scored_rows
from tests.comfyui.search import MOST_TRIES, Tried, nearest, next_threshold

from navicache.evaluation.psnr import psnr
from navicache.pocket.held_out import choose_prompts

SEED = 7


@dataclass
class Comparison:
    """All samplings of one prompt with one sampler."""

    studio: inside.Studio
    rows: Rows
    setting: Setting
    prompt: int
    text: str
    steps: int
    speedup: float = 2.0  # that both are asked for
    tries: int = MOST_TRIES  # of the other cache's thresholds
    alike: Sequence[Row] = ()  # where it was scored before, for a threshold to start with

    def plain(self) -> Row:
        """The run that the others are held against."""
        kept = self.rows.frames(self.setting, self.prompt)
        if kept.exists() and (found := self._found("plain")):
            return found[0]
        latents, count = self._sample(inside.plain)
        torch.save(self.studio.frames(latents), kept)
        return self._add("plain", None, count, None)

    def navicache(self, evaluations: float, plain: float) -> Row:
        """Our node, asked for the count that the other cache met."""
        rows = self._found("navicache")
        speedup = math.floor(1000 * plain / evaluations) / 1000  # rounded up, it would ask for one fewer
        met = [row for row in rows if row.evaluations == evaluations]
        if found := met or [row for row in rows if row.setting == speedup]:
            return found[-1]
        return self._score("navicache", speedup, *self._sample(inside.navicache(speedup)))

    def fewer_steps(self, evaluations: float, plain: float) -> Row:
        """No cache, and as many steps as make the count: what anybody can have without a node."""
        steps = max(1, round(self.steps * evaluations / plain))
        if found := [row for row in self._found("fewer steps") if row.setting == steps]:
            return found[0]
        return self._score("fewer steps", steps, *self._sample(inside.plain, steps))

    def easycache(self, target: float) -> float:
        """Theirs, at thresholds that come nearer and nearer to the same count; the nearest is scored."""
        rows = self._found("easycache")
        if any(row.psnr is not None for row in rows):
            return nearest([Tried(row.setting or 0.0, row.evaluations) for row in rows if row.psnr], target).evaluations
        tried, made = [Tried(row.setting or 0.0, row.evaluations) for row in rows], {}
        while (threshold := next_threshold(tried, target, self._start(target), self.tries)) is not None:
            made[threshold], count = self._sample(inside.easycache(threshold))
            tried.append(Tried(threshold, count))
            self._add("easycache", threshold, count, None)
        best, count = nearest(tried, target)
        if not any(row.setting == best and row.psnr is not None for row in rows):
            latents = made[best] if best in made else self._sample(inside.easycache(best))[0]
            self._score("easycache", best, latents, count)
        return count

    def easycache_at(self, threshold: float) -> float:
        """Theirs at one threshold, and its count."""
        if found := [row for row in self._found("easycache") if row.setting == threshold and row.psnr is not None]:
            return found[0].evaluations
        return self._score("easycache", threshold, *self._sample(inside.easycache(threshold))).evaluations

    def _start(self, target: float) -> float:
        """What met the target for the prompt before, or was nearest with this sampler and spacing; or their default."""
        met = [row.setting for row in self.rows.read(self.setting, cache="easycache") if row.evaluations == target]
        near = [row.setting for row in self.alike if row.made_with.is_alike(self.setting)]
        return ([*near, *met] or [None])[-1] or 0.2

    def _found(self, cache: str) -> list[Row]:
        return self.rows.read(self.setting, self.prompt, cache)

    def _sample(self, patch: inside.Patch, steps: int | None = None) -> tuple[torch.Tensor, float]:
        return self.studio.sample(self.text, self.setting, patch, SEED, steps or self.steps)

    def _score(self, cache: str, setting: float, latents: torch.Tensor, count: float) -> Row:
        reference = torch.load(self.rows.frames(self.setting, self.prompt))
        score = psnr(reference, self.studio.frames(latents))
        return self._add(cache, setting, count, score)

    def _add(self, cache: str, setting: float | None, count: float, score: float | None) -> Row:
        found = {"prompt": self.prompt, "cache": cache, "setting": setting, "evaluations": count, "psnr": score}
        return self.rows.add(Row(**found, **self.setting._asdict()))


def settings(args: argparse.Namespace, prompt: int) -> list[Setting]:
    """Every sampler with every spacing; of several guidances each takes the next, and another one at every prompt."""
    every = product(args.samplers, args.spacings or ["simple"], args.denoise)
    cfgs = islice(cycle(args.cfg), prompt, None)
    return [Setting(*names, cfg, denoise, args.cut) for (*names, denoise), cfg in zip(every, cfgs, strict=False)]


def chosen_cells(args: argparse.Namespace) -> Iterator[Cell]:
    """Prompt by prompt, so that a stop leaves whole rows of the table; or those of some rounds of the grid."""
    if args.rounds:
        found = (cell for number in args.rounds for cell in cells(number))
        spacings = args.spacings or SPACINGS
        yield from (
            each for each in found if each.setting.sampler in args.samplers and each.setting.spacing in spacings
        )
        return
    for prompt in range(args.prompts):
        for place, steps in enumerate(args.steps):
            yield from (Cell(steps, setting, prompt) for setting in settings(args, prompt + place))


def own_share(found: Iterable[Cell], part: str) -> Iterator[Cell]:
    """Every n-th of them, for n processes side by side: "2/14" is the second of 14."""
    number, count = map(int, part.split("/"))
    return islice(found, number - 1, None, count)


def comparisons(args: argparse.Namespace) -> Iterator[Comparison]:
    """The cells that were chosen, one after the other."""
    studio = inside.Studio(getattr(torch, args.dtype))
    texts = choose_prompts("held-out", max(args.prompts, GRID_PROMPTS))
    for steps, setting, prompt in own_share(chosen_cells(args), args.part):
        rows, alike = Rows(args.out / str(steps)), scored_rows(ROWS / "spacings", args.out)
        yield Comparison(studio, rows, setting, prompt, texts[prompt], steps, args.speedup, args.tries, alike)


def main(argv: list[str] | None = None) -> None:
    """Measure what is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("outputs/comfyui"))
    parser.add_argument("--prompts", type=int, default=PROMPTS)
    parser.add_argument("--steps", type=int, nargs="+", default=[30], help="every number has a folder of its own (30)")
    parser.add_argument("--samplers", nargs="+", default=SAMPLERS, help="by ComfyUI's names")
    parser.add_argument("--spacings", nargs="+", help="schedulers by ComfyUI's names (simple, or all of a round)")
    parser.add_argument("--cfg", type=float, nargs="+", default=[5.0], help="one after the other over the settings (5)")
    parser.add_argument("--denoise", type=float, nargs="+", default=[1.0], help="below 1 from another prompt's latent")
    parser.add_argument("--cut", type=int, default=1, help="samplers in a row that a run is cut among (1)")
    parser.add_argument("--part", default="1/1", help="which share of the settings; each has a folder of its own (1/1)")
    parser.add_argument(
        "--rounds", type=int, nargs="+", help="rounds of the grid (tests.comfyui.grid), of these samplers"
    )
    parser.add_argument("--tries", type=int, default=MOST_TRIES, help="most thresholds of EasyCache for one cell (12)")
    parser.add_argument("--dtype", choices=("float32", "bfloat16"), default="float32", help="the transformer's weights")
    parser.add_argument("--speedup", type=float, default=2.0, help="what both are asked for (2)")
    parser.add_argument("--only", choices=("navicache", "easycache"), help="measure one of the two for now")
    parser.add_argument("--threshold", type=float, help="EasyCache's, and no search: NaviCache meets its count")
    args = parser.parse_args(argv)
    inside.start(os.environ["COMFYUI_PATH"])
    torch.set_num_threads(1)
    for comparison in comparisons(args):
        plain = comparison.plain().evaluations
        met = plain // comparison.speedup
        if args.rounds is None and args.only is None:  # a short run computes more than it is asked for
            met = comparison.navicache(met, plain).evaluations
        if args.only != "navicache":
            met = comparison.easycache(met) if args.threshold is None else comparison.easycache_at(args.threshold)
        if args.only != "easycache":
            ours = comparison.navicache(met, plain)
            comparison.fewer_steps(ours.evaluations, plain)


if __name__ == "__main__":
    main()
