"""What the tests of the scripts share: a small model with random weights."""

import pytest
from tests.pocket import tiny_checkpoint


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    return tiny_checkpoint.save(tmp_path_factory.mktemp("checkpoint"))
