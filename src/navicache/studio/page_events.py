"""What all events of the page share."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape

from navicache.studio.controller import RunRefused

QUICK = {"show_progress": "hidden", "api_visibility": "private"}
SLOW = {"show_progress": "minimal", "concurrency_id": "device", "api_visibility": "private"}  # one at a time


@contextmanager
def show_refusals(error: Callable[..., Exception]) -> Iterator[None]:
    """Show a refusal as an error of the page, escaped, and without a traceback in the log."""
    try:
        yield
    except RunRefused as refusal:
        raise error(escape(str(refusal), quote=False), print_exception=False) from refusal
