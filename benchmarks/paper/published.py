"""Figures others have published, as data; a report marks them as such. Nothing here was measured by this project.

Source of all: NaviCache, ICML 2026, arXiv:2606.26795: Table 1 (`TABLE_1`), the ablations of the initial alignment and
of the covariances on Wan 2.1 (`ALIGN`, `NOISE`), and the auxiliary time on an RTX 4090 (`OVERHEAD`).
"""

from typing import NamedTuple

SOURCE = "NaviCache, ICML 2026, arXiv:2606.26795"


class PublishedRow(NamedTuple):
    """A row of Table 1."""

    name: str
    seconds: float
    speedup: float
    psnr: float | None
    ssim: float | None
    lpips: float | None
    vbench: float


TABLE_1: dict[str, tuple[PublishedRow, ...]] = {
    "Wan 2.1-1.3B": (
        PublishedRow("no cache, 50 steps", 214.93, 1.00, None, None, None, 80.86),
        PublishedRow("40 % steps", 100.37, 2.14, 14.50, 0.5226, 0.4374, 80.30),
        PublishedRow("Random 0.4", 102.75, 2.09, 11.92, 0.4204, 0.5911, 78.68),
        PublishedRow("Static cache", 102.14, 2.10, 14.18, 0.5007, 0.4789, 79.58),
        PublishedRow("PAB", 141.28, 1.52, 18.84, 0.6484, 0.3010, 77.60),
        PublishedRow("TeaCache", 121.57, 1.77, 22.79, 0.8169, 0.0952, 80.67),
        PublishedRow("MagCache", 105.05, 2.05, 23.33, 0.8331, 0.0958, 80.26),
        PublishedRow("EasyCache", 99.21, 2.17, 22.96, 0.7935, 0.1053, 80.18),
        PublishedRow("NaviCache fast", 96.40, 2.23, 23.46, 0.8011, 0.0956, 80.21),
        PublishedRow("NaviCache mid", 106.97, 2.01, 24.08, 0.8333, 0.0839, 80.38),
        PublishedRow("NaviCache slow", 115.86, 1.86, 25.10, 0.8638, 0.0686, 80.58),
    ),
    "HunyuanVideo": (
        PublishedRow("no cache, 50 steps", 2363.83, 1.00, None, None, None, 82.53),
        PublishedRow("50 % steps", 1203.44, 1.96, 18.79, 0.7101, 0.3319, 81.78),
        PublishedRow("Random 0.5", 1213.09, 1.95, 19.85, 0.7201, 0.3214, 81.04),
        PublishedRow("Static cache", 1338.51, 1.77, 18.74, 0.7081, 0.3309, 81.76),
        PublishedRow("PAB", 1700.60, 1.39, 18.58, 0.7023, 0.3827, 76.98),
        PublishedRow("TeaCache", 1070.14, 2.21, 24.05, 0.8046, 0.1830, 82.32),
        PublishedRow("MagCache", 882.76, 2.68, 29.83, 0.8904, 0.0941, 81.99),
        PublishedRow("EasyCache", 1100.30, 2.15, 32.53, 0.9241, 0.0589, 82.04),
        PublishedRow("NaviCache fast", 928.45, 2.55, 30.64, 0.8982, 0.0860, 82.03),
        PublishedRow("NaviCache mid", 1089.43, 2.17, 32.65, 0.9256, 0.0571, 82.07),
        PublishedRow("NaviCache slow", 1150.87, 2.05, 33.87, 0.9357, 0.0462, 82.15),
    ),
    "Open-Sora 1.2": (
        PublishedRow("no cache, 30 steps", 56.48, 1.00, None, None, None, 79.25),
        PublishedRow("50 % steps", 29.84, 1.89, 15.82, 0.6961, 0.3363, 77.36),
        PublishedRow("Random 0.5", 29.71, 1.90, 16.51, 0.7037, 0.3264, 76.78),
        PublishedRow("Static cache", 30.47, 1.85, 15.73, 0.6961, 0.3382, 77.37),
        PublishedRow("PAB", 45.51, 1.24, 23.58, 0.8220, 0.1743, 76.95),
        PublishedRow("TeaCache", 41.38, 1.36, 23.16, 0.8335, 0.1429, 79.10),
        PublishedRow("MagCache", 26.07, 2.17, 22.33, 0.8207, 0.1676, 77.97),
        PublishedRow("EasyCache", 34.55, 1.63, 23.63, 0.8458, 0.1320, 78.83),
        PublishedRow("NaviCache fast", 31.80, 1.78, 22.53, 0.8255, 0.1551, 79.05),
        PublishedRow("NaviCache mid", 35.29, 1.60, 23.67, 0.8463, 0.1309, 79.03),
        PublishedRow("NaviCache slow", 40.98, 1.38, 26.37, 0.8860, 0.0917, 79.08),
    ),
}


class AblationRow(NamedTuple):
    """A row of an ablation on Wan 2.1-1.3B."""

    knobs: str
    seconds: float
    psnr: float
    ssim: float
    lpips: float


ALIGN = (
    AblationRow("align_steps=5", 92.31, 22.73, 0.7786, 0.1095),
    AblationRow("align_steps=10", 96.40, 23.46, 0.8011, 0.0956),
    AblationRow("align_steps=15", 112.49, 24.31, 0.8191, 0.0818),
)
NOISE = (
    AblationRow("threshold=0.04, Q=0.05, R=0.05", 115.86, 25.10, 0.8638, 0.0686),
    AblationRow("threshold=0.04, Q=0.005, R=0.05", 153.29, 30.33, 0.9458, 0.0254),
    AblationRow("threshold=0.04, Q=0.05, R=0.005", 108.10, 24.92, 0.8547, 0.0711),
    AblationRow("threshold=0.07, Q=0.05, R=0.05", 96.40, 23.46, 0.8011, 0.0956),
    AblationRow("threshold=0.07, Q=0.005, R=0.05", 134.29, 27.72, 0.9128, 0.0415),
    AblationRow("threshold=0.07, Q=0.05, R=0.005", 89.20, 22.36, 0.7529, 0.1202),
)
ABLATIONS = {  # by the knobs that are swept
    "align_steps": ALIGN,
    "threshold": NOISE,
    "target and process_noise and measurement_noise": NOISE,
}

OVERHEAD = {"TeaCache": 0.0142, "MagCache": 0.0028, "EasyCache": 0.0101, "NaviCache": 0.0109}  # seconds, of deciding
CALIBRATION = {"TeaCache": 15191, "MagCache": 217, "EasyCache": 0, "NaviCache": 0}  # seconds, offline
