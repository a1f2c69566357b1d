"""What the page's own events set, without a browser."""

import importlib.util
import subprocess
import sys

import pytest

FIRST_EVENT = """
from navicache.studio.controller import StudioController
from navicache.studio.models import StudioModels
from navicache.studio.page import build_page
from navicache.studio.run_queue import RunQueue

page = build_page(StudioController(StudioModels(), RunQueue()))
(first,) = [each.fn for each in page.fns.values() if "load" in [event for _, event in each.targets]]
print(*("left alone" if value == {"__type__": "update"} else repr(value) for value in first()), sep=", ")
"""


@pytest.mark.skipif(
    importlib.util.find_spec("gradio") is None, reason="gradio is not installed: make test-studio has it"
)
def test_the_first_event_leaves_a_quick_visitors_numbers_alone():
    """It comes after the page, and on a busy machine after the visitor has begun to fill it in."""
    done = subprocess.run([sys.executable, "-c", FIRST_EVENT], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ", ".join(["left alone"] * 5 + ["''"])
