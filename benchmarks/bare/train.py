"""Train a bare model on pictures of the embedded models' world, for so many seconds.

python -m benchmarks.bare.train --kind noise_dit --seconds 300 --device cpu --out build/bare/noise_dit.pt
"""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional

from benchmarks.bare.kinds import KINDS, BareKind, save_model
from benchmarks.bare.transformer import LABELS
from navicache_pocket.world import draw_scenes, render_videos
from navicache_pocket.world.words import SHAPES

FINER = 2  # pictures are drawn at twice their size
NO_LABEL_SHARE = 0.15
WARM_STEPS, AVERAGE_STEPS = 100, 300  # of the learning rate, and of the averaged weights
RENDER_BATCH = 256


def draw_pictures(count: int, size: int, seed: int, device: str) -> tuple[torch.Tensor, torch.Tensor]:
    """Pictures in [-1, 1] and their labels: colour and shape of the first object.

    Example:
        >>> pictures, labels = draw_pictures(2, 16, 0, "cpu")
        >>> tuple(pictures.shape), labels.max().item() < LABELS
        ((2, 3, 16, 16), True)
    """
    scenes = draw_scenes(count, seed)
    parts = [scenes[start : start + RENDER_BATCH].to(device) for start in range(0, count, RENDER_BATCH)]
    drawn = [functional.avg_pool2d(render_videos(part, 1, FINER * size)[:, :, 0], FINER) for part in parts]
    return torch.cat(drawn), (scenes.colour[:, 0] * len(SHAPES) + scenes.shape[:, 0]).to(device)


class Training:
    """Steps of one model until the time is up, and the running average of its weights."""

    def __init__(self, kind: BareKind, pictures: torch.Tensor, labels: torch.Tensor, seed: int) -> None:
        self.kind, self.pictures, self.labels = kind, pictures, labels
        self.device = pictures.device
        torch.manual_seed(seed)
        self.model = kind.build().to(self.device)
        self.generator = torch.Generator().manual_seed(seed)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), weight_decay=0.0, betas=(0.9, 0.99))
        self.average = {name: value.clone() for name, value in self.model.state_dict().items()}
        self.step = 0

    def run(self, seconds: float) -> None:
        """Train for this long; the learning rate falls to zero."""
        begun = shown = time.monotonic()
        while (passed := (time.monotonic() - begun) / seconds) < 1:
            rate = self.kind.peak_rate * min(1.0, (self.step + 1) / WARM_STEPS) * (1 - passed)
            loss = self.take_step(rate)
            if time.monotonic() - shown > seconds / 20:
                shown = time.monotonic()
                print(f"step {self.step}, {passed:.0%}: loss {loss.item():.4f}", flush=True)

    def take_step(self, rate: float) -> torch.Tensor:
        """One step of gradient descent; returns the loss."""
        count = self.kind.batch
        rows = torch.randint(0, len(self.pictures), (count,), generator=self.generator).to(self.device)
        clean = self.pictures[rows]
        noise = torch.randn(clean.shape, generator=self.generator).to(self.device)
        times = self.kind.noise.draw_times(count, self.generator).to(self.device)
        blank = (torch.rand(count, generator=self.generator) < NO_LABEL_SHARE).to(self.device)
        alpha, sigma = self.kind.noise.mix_at(times)
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda"):
            answer = self.model(alpha * clean + sigma * noise, times, self.labels[rows].masked_fill(blank, LABELS))
        loss = functional.mse_loss(answer.float(), self.kind.noise.build_target(clean, noise, (alpha, sigma)))
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.step += 1
        share = 1 / min(self.step, AVERAGE_STEPS)
        for name, value in self.model.state_dict().items():
            self.average[name].lerp_(value, share)
        return loss.detach()


def main(arguments: Sequence[str] | None = None) -> int:
    """Train and save."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", choices=KINDS, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=300.0, help="without the drawing of pictures (%(default)s)")
    parser.add_argument("--pictures", type=int, default=20_000, help="(%(default)s)")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    torch.set_float32_matmul_precision("high")
    kind = KINDS[options.kind]
    pictures = draw_pictures(options.pictures, kind.size, options.seed, options.device)
    training = Training(kind, *pictures, options.seed)
    training.run(options.seconds)
    save_model(options.kind, training.average, options.out)
    size = sum(value.numel() for value in training.model.parameters()) / 1e6
    print(f"{options.out}: {size:.2f} M parameters, {training.step} steps of {kind.batch}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
