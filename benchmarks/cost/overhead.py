"""What the cache itself costs: a decision, a reuse, the tensors it keeps, and a whole run at real size.

    python -m benchmarks.cost.overhead                        # this machine's CPU, micro-benchmark only
    python -m benchmarks.cost.overhead --device cuda --run    # also a 50-step WanPipeline of Wan 2.1-1.3B size
    python -m benchmarks.cost.overhead --small --rounds 20    # seconds, to try the script

The weights are random, so that only times mean anything; nothing is said about quality.
"""

import argparse
import gc
import statistics
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

import navicache
from benchmarks.clock import Clock
from benchmarks.columns import table
from benchmarks.cost.official_style import OfficialStyle
from benchmarks.json_file import save_json
from navicache.engine import CallFacts

WAN_LATENT = (1, 16, 21, 60, 104)  # 81 frames of 832x480
SMALL_LATENT = (1, 16, 3, 12, 16)


class Ours:
    """A navicache engine around a model that costs nothing, brought to its first reuse."""

    def __init__(self, latent: torch.Tensor, output: torch.Tensor, branches: int, **options: Any) -> None:
        """Align on two steps."""
        self.index, self.branches = 0, branches
        self.texts = [torch.zeros(1, 8, 8, device=latent.device) for _ in range(branches)]
        self.times = list(torch.linspace(1000, 0, 4096, device=latent.device).reshape(-1, 1).unbind())

        def model(hidden_states: torch.Tensor, timestep: torch.Tensor, encoder_hidden_states: torch.Tensor) -> Any:
            del hidden_states, timestep, encoder_hidden_states
            return (output,)

        policy = navicache.policies.NaviCache(threshold=1e9, align_steps=2, last_step=False)
        self.cache = navicache.enable(model, policy, **options)
        self.engine = self.cache._attachments[""].engine
        self.engine.describe_call = self._where
        self.model, self.branch = model, 0
        for change in (0.0, 0.01, 0.02):
            self.step(latent + change)

    def _where(self) -> Any:
        return CallFacts("cond" if self.branch == 0 else "uncond", self.index, 10**9, 0.5, self)

    def step(self, latent: torch.Tensor) -> Any:
        """All calls of one step."""
        self.index += 1
        for branch in range(self.branches):
            self.branch = branch
            call = {
                "hidden_states": latent,
                "timestep": self.times[self.index],
                "encoder_hidden_states": self.texts[branch],
            }
            result = self.engine(self.model, (), call)
        return result


@torch.no_grad()  # as in every pipeline
def micro(device: str, dtype: torch.dtype, shape: tuple[int, ...], branches: int, rounds: int) -> dict[str, float]:
    """Milliseconds for decision plus reuse of one step, both ways taking turns on the same tensors."""
    torch.manual_seed(0)
    latents = [torch.randn(shape, device=device, dtype=dtype) for _ in range(8)]
    output = torch.randn(shape, device=device, dtype=dtype)
    clock, ours = Clock(device), Ours(latents[0], output, branches)
    theirs = OfficialStyle(1e9, 0.7, latents[0], output, branches)

    def official(latent: torch.Tensor) -> None:
        if not theirs.decide(latent):
            raise AssertionError("the official rule was meant to reuse")
        for branch in range(branches):
            theirs.reuse(latent, branch)

    times: dict[str, list[float]] = {"official": [], "ours": [], "official decision": [], "ours decision": []}
    for turn in range(rounds):
        latent = latents[turn % len(latents)]
        times["official"].append(clock.time(lambda latent=latent: official(latent)))
        times["ours"].append(clock.time(lambda latent=latent: ours.step(latent)))
        times["official decision"].append(clock.time(lambda latent=latent: theirs.decide(latent)))
        times["ours decision"].append(decision_time(ours, latent, clock))
    return {name: statistics.median(values[rounds // 5 :]) * 1e3 for name, values in times.items()}


def decision_time(ours: Ours, latent: torch.Tensor, clock: Clock) -> float:
    """Time until the engine knows whether to compute: finding the call's place, measuring, the sync, the gate."""
    ours.index, ours.branch = ours.index + 1, 0
    engine = ours.engine
    call = {"hidden_states": latent, "timestep": ours.times[ours.index], "encoder_hidden_states": ours.texts[0]}

    def decide() -> None:
        with torch.no_grad():
            engine.place_and_decide(engine.reader.read_call((), call), engine.describe_call())

    return clock.time(decide)


def kept(device: str, branches: int, **options: Any) -> float:
    """Latent-sized tensors alive because of the cache after a reuse, counted by their bytes."""
    latent = torch.randn(WAN_LATENT, device=device)
    ours = Ours(latent, torch.randn(WAN_LATENT, device=device), branches, **options)
    ours.step(latent)  # the newest input is the caller's own, and not counted
    storages = [t.untyped_storage() for t in held(ours.engine.run) if t.numel() == latent.numel()]
    sizes = {storage.data_ptr(): storage.nbytes() for storage in storages}
    sizes.pop(latent.untyped_storage().data_ptr(), None)
    return sum(sizes.values()) / (latent.numel() * latent.element_size())


def held(root: Any) -> list[torch.Tensor]:
    """Every tensor that an object of the library holds on to, whatever its fields are called."""
    found, seen, waiting = [], set(), [root]
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        if isinstance(thing, torch.Tensor):
            found.append(thing)
        elif isinstance(thing, (dict, list, tuple, set, deque)) or type(thing).__module__.startswith("navicache"):
            waiting += gc.get_referents(thing)
    return found


def report_micro(device: str, rounds: int, small: bool) -> list[dict[str, Any]]:
    """Micro-benchmark over dtypes and guidance."""
    shape = SMALL_LATENT if small else WAN_LATENT
    results = []
    for dtype in (torch.float32, torch.bfloat16) if device == "cuda" else (torch.float32,):
        for branches in (1, 2):
            times = micro(device, dtype, shape, branches, rounds)
            results.append({"dtype": str(dtype), "calls": branches, **times})
    head = ("dtype", "calls a step", "official decision + reuse", "ours", "official decision", "ours")
    cells = [
        (r["dtype"], str(r["calls"]), *(f"{r[k]:.4f} ms" for k in ("official", "ours")),
         *(f"{r[k]:.4f} ms" for k in ("official decision", "ours decision")))
        for r in results
    ]  # fmt: skip
    table([head, *cells])
    return results


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what was asked for and, with --json, keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--small", action="store_true", help="a small latent, to see the cost of Python alone")
    parser.add_argument("--run", action="store_true", help="also time whole 50-step runs of a WanPipeline")
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--json", type=Path, help="write the figures there")
    options = parser.parse_args(arguments)
    card = torch.cuda.get_device_name() if options.device == "cuda" else "CPU"
    print(f"{card}, torch {torch.__version__}, latent {SMALL_LATENT if options.small else WAN_LATENT}\n")
    figures: dict[str, Any] = {"card": card, "torch": torch.__version__}
    figures["micro"] = report_micro(options.device, options.rounds, options.small)
    print("\ntensors kept, in units of one latent")
    figures["kept"] = {
        "one stream": kept(options.device, 1),
        "two streams": kept(options.device, 2),
        "two streams, keep_dtype=bfloat16": kept(options.device, 2, keep_dtype=torch.bfloat16),
    }
    table([("what", "latents"), *((name, f"{value:.2f}") for name, value in figures["kept"].items())])
    if options.run:
        from benchmarks.real_size.wan import whole_runs  # needs diffusers

        figures["runs"] = whole_runs(options.device, options.steps, options.small, Clock(options.device))
    if options.json:
        save_json(options.json, figures)


if __name__ == "__main__":
    main()
