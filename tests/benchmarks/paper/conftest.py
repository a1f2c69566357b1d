"""Tiny models in place of the embedded ones, and no network."""

from tests.support.pipelines import home as home
from tests.support.pipelines import image_folder as image_folder
from tests.support.pipelines import no_network as no_network
from tests.support.pipelines import pocket as pocket
from tests.support.pipelines import tab as tab
from tests.support.pipelines import wan_folder as wan_folder
from tests.support.pipelines import weights as weights
