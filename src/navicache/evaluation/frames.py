"""Prepare videos for the metrics: check them, then pass a few frames at a time as floats in [0, 1]."""

from collections.abc import Callable, Iterator

import numpy as np
import torch
from torch import Tensor
from tqdm import tqdm

Clip = np.ndarray | Tensor
Device = torch.device | str | None
FrameMetric = Callable[[Tensor, Tensor], Tensor]

CHUNK_PIXELS = 2**20  # two frames of 832x480: SSIM then takes about 0.7 GB


def validate_clip(clip: Clip, name: str = "video") -> Tensor:
    """Return the clip as a tensor on its device; raise an error if no metric can score it.

    Example:
        >>> validate_clip(np.zeros((2, 8, 8, 3), np.uint8)).shape
        torch.Size([2, 8, 8, 3])
    """
    frames = clip.detach() if isinstance(clip, Tensor) else _convert_from_numpy(np.asarray(clip), name)
    if frames.ndim != 4 or frames.shape[-1] != 3:
        advice = "; give a single frame as frame[None]" if frames.ndim == 3 else ""
        raise ValueError(f"{name} must be (frames, height, width, 3), got {tuple(frames.shape)}{advice}")
    if frames.numel() == 0:
        raise ValueError(f"{name} is empty: its shape is {tuple(frames.shape)}")
    if frames.dtype != torch.uint8:
        _check_float_range(frames, name)
    return frames


def validate_clip_pair(reference: Clip, video: Clip) -> tuple[Tensor, Tensor]:
    """Return both clips as tensors of the same shape; they may differ in dtype and device."""
    first, second = validate_clip(reference, "reference"), validate_clip(video, "video")
    if first.shape != second.shape:
        raise ValueError(
            f"reference is {tuple(first.shape)} and video {tuple(second.shape)}: "
            "cut or resize them to the same frames, height and width first"
        )
    return first, second


def score_frames(metric: FrameMetric, pair: tuple[Tensor, Tensor], title: str, device: Device = None) -> Tensor:
    """Score each frame, in double precision; `metric` gets (frames, 3, height, width) in [0, 1].

    Works on `device`, or on that of the first clip. A progress bar appears after two seconds.

    Example:
        >>> black, white = torch.zeros(2, 8, 8, 3), torch.ones(2, 8, 8, 3)
        >>> score_frames(lambda a, b: (a - b).abs().mean((1, 2, 3)), (black, white), "distance")
        tensor([1., 1.], dtype=torch.float64)
    """
    target = torch.device(device or pair[0].device)
    with torch.no_grad(), torch.autocast(target.type, enabled=False):  # the caller's autocast must not round scores
        scores = [metric(first, second) for first, second in _iterate_chunks(pair, title, target)]
    return torch.cat(scores).cpu().double()


def choose_metric_dtype(device: torch.device) -> torch.dtype:
    """Double on CUDA, where float32 convolutions may use TF32, whose three digits are too few for SSIM."""
    return torch.float64 if device.type == "cuda" else torch.float32


def _iterate_chunks(pair: tuple[Tensor, Tensor], title: str, device: torch.device) -> Iterator[tuple[Tensor, Tensor]]:
    count, height, width, _ = pair[0].shape
    size = max(1, CHUNK_PIXELS // (height * width))
    with tqdm(total=count, desc=title, unit="frame", delay=2, leave=False, disable=None) as bar:
        for start in range(0, count, size):
            first, second = (_convert_to_floats(clip[start : start + size].to(device)) for clip in pair)
            yield first, second
            bar.update(len(first))


def _convert_to_floats(frames: Tensor) -> Tensor:
    values = frames.to(choose_metric_dtype(frames.device))  # before any arithmetic: bytes would wrap around
    return (values / 255 if frames.dtype == torch.uint8 else values).movedim(-1, 1).contiguous()


def _convert_from_numpy(array: np.ndarray, name: str) -> Tensor:
    if array.dtype != np.uint8 and array.dtype.kind != "f":
        raise TypeError(f"{name} must be floats in [0, 1] or uint8, got {array.dtype}")
    return torch.from_numpy(np.require(array, requirements=["C", "W"]))  # copies only if torch cannot share it


def _check_float_range(frames: Tensor, name: str) -> None:
    if not frames.is_floating_point():
        raise TypeError(f"{name} must be floats in [0, 1] or uint8, got {frames.dtype}")
    low, high = (bound.item() for bound in torch.aminmax(frames))
    if low != low:
        raise ValueError(f"{name} holds NaN: no score would mean anything")
    if low < 0 or high > 1:
        raise ValueError(
            f"{name} has floats from {low:.4g} to {high:.4g}, expected [0, 1]: "
            "divide by the peak, clip, or give bytes as uint8"
        )
