"""Pictures, videos and texts as the page holds them: within its markup, so that no file is written."""

import base64
import io

import numpy as np
from PIL import Image

from navicache.report.video import to_uint8


def png_address(frame: np.ndarray) -> str:
    """A frame (height, width, 3) in [0, 1] as a data address."""
    return f"data:image/png;base64,{to_base64(png_bytes(frame))}"


def png_bytes(frame: np.ndarray) -> bytes:
    """A frame (height, width, 3) in [0, 1] as a PNG file."""
    buffer = io.BytesIO()
    Image.fromarray(to_uint8(frame)).save(buffer, format="PNG")
    return buffer.getvalue()


def to_base64(data: bytes) -> str:
    """Bytes as letters.

    Example:
        >>> to_base64(b"ball")
        'YmFsbA=='
    """
    return base64.b64encode(data).decode()
