"""The Space: its file, run as the hub runs it, opens the page on the embedded models and on no other."""

from contextlib import closing
from pathlib import Path

import pytest
from tests.studio.hands import TILES, others, put, run, visit
from tests.studio.served import NEEDED, SPACE, Studio

pytestmark = NEEDED
APP = Path(__file__).parents[2] / "spaces" / "app.py"


@pytest.fixture
def space(tmp_path):
    with closing(Studio(tmp_path, str(APP), begin=SPACE)) as served:
        served.wait()
        yield served


def test_a_run_from_end_to_end(tab, space):
    tab.problems.clear()
    visit(tab, space)
    assert "a folder" not in tab.value("document.querySelector('#nv-how').innerText")
    run(tab, Steps=8)
    assert tab.value(TILES)[2] == "4 of 8"
    put(tab, 'input[aria-label="Model"]', "owner/name")
    run(tab, Seed=1)
    assert "HunyuanVideo" in tab.value("document.querySelector('.nv-result h3').innerText"), "no other than its own"
    assert others(tab, space) == [] and space.wanted() == [] and "Traceback" not in space.said()
