"""The control flow of the official NaviCache scripts, transcribed by hand and deliberately without navicache.

Written like the scripts: one loop over network calls, a counter, and variables that outlive a video. A video is a
list of (x, y) arrays, y being what the network would return; where a step is reused y is not looked at. Scripts that
call the network twice a step (conditional first) take y as a stack of both outputs. All in float64.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass
class Log:
    """What happened at each step; `None` where a script has no such number."""

    computed: list[bool] = field(default_factory=list)
    asked: list[float | None] = field(default_factory=list)  # E when it was compared with the threshold
    error: list[float] = field(default_factory=list)  # E at the end of the step
    ratio: list[float | None] = field(default_factory=list)
    variance: list[float | None] = field(default_factory=list)
    gain: list[float | None] = field(default_factory=list)
    returned: list[Any] = field(default_factory=list)
    returned_uncond: list[Any] = field(default_factory=list)

    def note(self, computed: bool, asked: Any, error: Any, ratio: Any, variance: Any, gain: Any, returned: Any) -> None:
        self.computed.append(bool(computed))
        self.asked.append(None if asked is None else float(asked))
        self.error.append(float(error))
        self.ratio.append(None if ratio is None else float(ratio))
        self.variance.append(None if variance is None else float(variance))
        self.gain.append(None if gain is None else float(gain))
        self.returned.append(returned)


def m(u: Any) -> Any:
    return np.abs(u).mean()


def wan21(videos: Any, tau: float, n_align: int, q: float = 0.05, r: float = 0.05) -> list[Log]:  # noqa: C901 - a script
    """Wan 2.1: two calls a step, the conditional one decides for both; nothing but the counter is rewound."""
    ratio, p, k, e = 0.0, 1.0, None, 0.0
    x_prev = x_j = y_j = cache_cond = cache_uncond = None
    skip = False
    logs = []
    for video in videos:
        log, calls, n = Log(), 2 * len(video), 0
        while n < calls:
            x, y = video[n // 2]
            asked = None
            if n % 2 == 0:
                if n < 2 * n_align or n >= calls - 2:
                    skip, e = False, 0.0
                elif x_prev is None or y_j is None or ratio is None:
                    skip = False
                else:
                    e = asked = e + ratio * m(x - x_prev) / m(y_j)
                    skip = bool(e < tau)
                    if not skip:
                        e = 0.0
                x_prev = x
                if skip:
                    output = x + cache_cond
                else:
                    output = y[0]
                    if y_j is not None:
                        z = m(output - y_j) / (m(x - x_j) + 1e-8)
                        if n < 2 * n_align:
                            ratio, p = z, 1.0
                        else:
                            p = p + q
                            k = p / (p + r + 1e-8)
                            ratio = ratio + k * (z - ratio)
                            p = (1 - k) * p
                    x_j, y_j, cache_cond = x, output, output - x
                log.note(not skip, asked, e, ratio, p, k, output)
            elif skip:
                log.returned_uncond.append(x + cache_uncond)
            else:
                cache_uncond = y[1] - x
                log.returned_uncond.append(y[1])
            n += 1
        logs.append(log)
    return logs


def wan22(videos: Any, tau: float, n_align: int, q: float = 0.05, r: float = 0.05) -> list[Log]:
    """Wan 2.2 TI2V-5B: the filter runs from the first ratio on, from 0; an explicit reset before each video."""
    logs = []
    for video in videos:
        ratio, p, k, e = 0.0, 1.0, None, 0.0
        first_ratio_seen = False
        x_prev = x_j = y_j = cache_cond = cache_uncond = None
        log = Log()
        for i, (x, y) in enumerate(video):
            asked = None
            if i < n_align or i == len(video) - 1:
                compute, e = True, 0.0
            elif x_prev is None or y_j is None or not first_ratio_seen:
                compute = True
            else:
                e = asked = e + ratio * m(x - x_prev) / (m(y_j) + 1e-8)
                compute = not e < tau
                if compute:
                    e = 0.0
            x_prev = x
            if compute:
                conditional, unconditional = y
                if y_j is not None:
                    z = m(conditional - y_j) / (m(x - x_j) + 1e-8)
                    p = p + q
                    k = p / (p + r + 1e-8)
                    ratio = ratio + k * (z - ratio)
                    p = (1 - k) * p
                    first_ratio_seen = True
                x_j, y_j = x, conditional
                cache_cond, cache_uncond = conditional - x, unconditional - x
            else:
                conditional, unconditional = x + cache_cond, x + cache_uncond
            log.note(compute, asked, e, ratio, p, k, conditional)
            log.returned_uncond.append(unconditional)
        logs.append(log)
    return logs


def hunyuan(videos: Any, tau: float, n_align: int, q: float = 0.05, r: float = 0.05) -> list[Log]:
    """HunyuanVideo: one call a step, no epsilon beside m(y_j); only the counter is rewound."""
    ratio, p, k, e = 0.0, 1.0, None, 0.0
    x_prev = x_j = y_j = residual = None
    logs = []
    for video in videos:
        log = Log()
        for cnt, (x, y) in enumerate(video):
            asked, should_calc = None, True
            if cnt < n_align or cnt == len(video) - 1:
                e = 0.0
            elif x_prev is not None and y_j is not None and ratio is not None:
                e = asked = e + ratio * m(x - x_prev) / m(y_j)
                should_calc = not e < tau
                e = 0.0 if should_calc else e
            x_prev = x
            if should_calc:
                if y_j is not None and cnt < n_align:
                    ratio, p = m(y - y_j) / (m(x - x_j) + 1e-8), 1.0
                elif y_j is not None:
                    p += q
                    k = p / (p + r + 1e-8)
                    ratio += k * (m(y - y_j) / (m(x - x_j) + 1e-8) - ratio)
                    p *= 1 - k
                x_j, y_j, residual = x, y, y - x
            log.note(should_calc, asked, e, ratio, p, k, y if should_calc else x + residual)
        logs.append(log)
    return logs
