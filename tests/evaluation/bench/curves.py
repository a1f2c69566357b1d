"""Rows of a few settings on two prompts, whose curves are mental arithmetic."""

from fractions import Fraction

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)


def row(*figures, prompt=0, series="", policy="navicache", kind="cached", knobs=None, cell=("m", "c"), total=12):
    setting, computed, psnr = figures
    steps = {"total": total, "computed": computed, "partial": 0}
    quality = None if kind == "baseline" else {"psnr": psnr}
    return {
        **{"model": cell[0], "condition": cell[1], "setting": setting, "series": series, "policy": policy},
        **{"prompt": str(prompt), "seed": 0, "kind": kind, "steps": steps, "quality": quality, "knobs": knobs or {}},
    }


def plain(count=2, cell=("m", "c"), total=12):
    more = {"kind": "baseline", "policy": "none", "cell": cell, "total": total}
    return [row("baseline", total, None, prompt=prompt, **more) for prompt in range(count)]


def both(setting, first, second, **more):
    """A setting on two prompts, each (computed, psnr)."""
    return [row(setting, *first, **more), row(setting, *second, prompt=1, **more)]


INERTIAL = [
    *both("I 1", (6, 50.0), (6, 40.0), series="I", policy="inertial", knobs={"speedup": 2.0}),
    *both("I 2", (3, 30.0), (3, 20.0), series="I", policy="inertial", knobs={"speedup": 4.0}),
]


NAVICACHE = [
    *both("N 1", (9, 48.0), (7, 44.0), series="N", knobs={"threshold": 0.1}),
    *both("N 2", (5, 38.0), (3, 34.0), series="N", knobs={"threshold": 0.2}),
]


BY_THRESHOLD = both("T", (6, 46.0), (6, 46.0), policy="inertial", knobs={"threshold": 0.2, "speedup": None})
