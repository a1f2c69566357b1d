"""Which navicache policy stands for which script."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.policies import transcription, transcription_others
from tests.policies.drive import Seen, drive
from tests.policies.trajectories import Video, batched, paired
from tests.policies.transcription import Log

from navicache.policies import EasyCache, NaviCache, Policy

Shape = Callable[[Video], Video]


def single(video: Video) -> Video:
    return video


def lead(video: Video) -> Video:
    """What navicache sees of a pair: the conditional call."""
    return [(x, y[0]) for x, y in video]


@dataclass(frozen=True)
class Variant:
    script: Callable[..., list[Log]]
    policy: Callable[[float, int], Policy]  # of threshold and align_steps
    shape: Shape = single
    absolute: bool = False

    def scripted(self, *videos: Video, tau: float, n_align: int) -> list[Log]:
        return self.script([self.shape(video) for video in videos], self.tau(tau), n_align)

    def driven(self, video: Video, tau: float, n_align: int) -> Seen:
        shaped = self.shape(video)
        return drive(self.policy(self.tau(tau), n_align), lead(shaped) if self.shape is paired else shaped)

    def tau(self, tau: float) -> float:
        return tau * 40 if self.absolute else tau  # sums over 24 elements, not divided by the output


def easycache_ti2v(videos: Any, tau: float, n_align: int) -> list[Log]:
    return transcription_others.easycache_wan(videos, tau, n_align, last_forced=False)


VARIANTS = {
    "Wan2.1": Variant(transcription.wan21, NaviCache, paired),
    "Wan2.2 TI2V": Variant(
        transcription.wan22, lambda t, n: NaviCache(t, n, alignment="filtered", output_epsilon=1e-8), paired
    ),
    "HunyuanVideo": Variant(transcription.hunyuan, NaviCache),
    "Open-Sora": Variant(transcription_others.open_sora, lambda t, n: NaviCache(t, n, output_epsilon=1e-8), batched),
    "EasyCache Wan": Variant(transcription_others.easycache_wan, EasyCache, paired),
    "EasyCache TI2V": Variant(easycache_ti2v, lambda t, n: EasyCache(t, n, last_step=False), paired),
    "EasyCache Hunyuan": Variant(transcription_others.easycache_hunyuan, EasyCache),
    "paper text": Variant(
        transcription_others.paper_text, lambda t, n: NaviCache(t, n, paper_text=True), absolute=True
    ),
}
