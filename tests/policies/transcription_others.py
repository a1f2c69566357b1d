"""Open-Sora's NaviCache, EasyCache's scripts and the text of the NaviCache paper, as in transcription.py."""

from typing import Any

import numpy as np
from tests.policies.transcription import Log, m


def open_sora(videos: Any, tau: float, n_align: int, q: float = 0.05, r: float = 0.05) -> list[Log]:  # noqa: C901
    """Open-Sora 1.2: both guidance halves in one call and one mean; after a video only ratio and variance survive."""
    ratio: Any = None
    p, k = 1.0, None
    logs = []
    for video in videos:
        e = 0.0
        x_prev = x_j = y_j = residual = None
        log, counter = Log(), 0
        while counter < len(video):
            x, y = video[counter]
            asked = None
            forced = counter < n_align or counter == len(video) - 1
            if forced:
                e = 0.0
            unknown = x_prev is None or y_j is None or ratio is None
            run = forced or unknown
            if not run:
                e = asked = e + ratio * m(x - x_prev) / (m(y_j) + 1e-8)
                if not e < tau:
                    run, e = True, 0.0
            x_prev = x
            if run:
                if y_j is not None:
                    z = m(y - y_j) / (m(x - x_j) + 1e-8)
                    if counter < n_align:
                        ratio, p = z, 1.0
                    else:
                        p = p + q
                        k = p / (p + r + 1e-8)
                        ratio, p = ratio + k * (z - ratio), (1 - k) * p
                x_j, y_j, residual = x, y, y - x
            log.note(run, asked, e, ratio, p, k, y if run else x + residual)
            counter += 1
        logs.append(log)
    return logs


def easycache_wan(videos: Any, tau: float, ret_steps: int = 10, last_forced: bool = True) -> list[Log]:  # noqa: C901
    """Wan: pairs of calls. The Wan 2.2 TI2V-5B script doubles its cut-off twice: `last_forced=False`."""
    kappa: Any = None
    e = 0.0
    x_prev = x_j = y_j = cache_cond = cache_uncond = None
    logs = []
    for video in videos:
        log = Log()
        cutoff = 2 * len(video) - 2 if last_forced else 2 * (2 * len(video)) - 2
        skip = False
        for n in range(2 * len(video)):
            x, y = video[n // 2]
            if n % 2 == 1:
                if not skip:
                    cache_uncond = y[1] - x
                log.returned_uncond.append(x + cache_uncond if skip else y[1])
                continue
            asked = None
            if n < 2 * ret_steps or n >= cutoff:
                skip, e = False, 0.0
            elif x_prev is None or y_j is None or kappa is None:
                skip = False
            else:
                e = asked = e + kappa * m(x - x_prev) / m(y_j)
                skip = bool(e < tau)
                e = e if skip else 0.0
            x_prev = x
            if skip:
                output = x + cache_cond
            else:
                output = y[0]
                if y_j is not None:
                    kappa = m(output - y_j) / m(x - x_j)
                x_j, y_j, cache_cond = x, output, output - x
            log.note(not skip, asked, e, kappa, None, None, output)
        logs.append(log)
    return logs


def easycache_hunyuan(videos: Any, tau: float, ret_steps: int = 5) -> list[Log]:
    """HunyuanVideo: one call a step."""
    kappa: Any = None
    e = 0.0
    x_prev = x_j = y_j = cache = None
    logs = []
    for video in videos:
        log = Log()
        for i, (x, y) in enumerate(video):
            asked, compute = None, True
            if i < ret_steps or i == len(video) - 1:
                e = 0.0
            elif x_prev is not None and y_j is not None and kappa is not None:
                e = asked = e + kappa * m(x - x_prev) / m(y_j)
                compute = not e < tau
                if compute:
                    e = 0.0
            x_prev = x
            output = y if compute else x + cache
            if compute:
                if y_j is not None:
                    kappa = m(y - y_j) / m(x - x_j)
                x_j, y_j, cache = x, y, y - x
            log.note(compute, asked, e, kappa, None, None, output)
        logs.append(log)
    return logs


def paper_text(
    videos: Any, tau: float, n_align: int, q: float = 0.05, r: float = 0.05, sigma_init: float = 1.0
) -> list[Log]:
    """The method section: mean ratio, P grows every step, L1 sums, one reference for both changes, output held."""
    logs = []
    for video in videos:
        log = Log()
        observed: list[float] = []
        estimate: Any = None
        p, k, e = sigma_init**2, None, 0.0
        x_ref = y_ref = None
        for t, (x, y) in enumerate(video):
            if t < n_align:
                if x_ref is not None:
                    observed.append(np.abs(y - y_ref).sum() / np.abs(x - x_ref).sum())
                    estimate = sum(observed) / len(observed)
                x_ref, y_ref = x, y
                log.note(True, None, 0.0, estimate, p, k, y)
                continue
            p = p + q  # time update, reused or not
            e = asked = e + estimate * np.abs(x - x_ref).sum()
            update = not e < tau
            if update:
                z = np.abs(y - y_ref).sum() / np.abs(x - x_ref).sum()
                k = p / (p + r)
                estimate, p, e = estimate + k * (z - estimate), (1 - k) * p, 0.0
                x_ref, y_ref = x, y
            log.note(update, asked, e, estimate, p, k, y_ref)
        logs.append(log)
    return logs
