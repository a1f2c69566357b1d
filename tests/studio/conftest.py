"""One studio for all tests of the page: to start it and to load a model takes longer than most of them."""

from contextlib import closing

import pytest
from tests.studio.hands import others
from tests.studio.served import Studio
from tests.support.pipelines import home as home
from tests.support.pipelines import image_folder as image_folder
from tests.support.pipelines import no_network as no_network
from tests.support.pipelines import pocket as pocket
from tests.support.pipelines import tab as tab
from tests.support.pipelines import wan_folder as wan_folder
from tests.support.pipelines import weights as weights


@pytest.fixture(scope="session")
def studio(tmp_path_factory):
    with closing(Studio(tmp_path_factory.mktemp("studio"), "--model", "pocket:hunyuan")) as served:
        served.wait()
        yield served


@pytest.fixture
def alone(studio, tab):
    """Neither the page nor its server asks another machine for anything, and neither has an error to tell."""
    tab.problems.clear()
    before = studio.wanted()  # a hub id may have been asked for
    yield
    assert others(tab, studio) == []
    assert studio.wanted() == before and "Traceback" not in studio.said(), studio.said()
