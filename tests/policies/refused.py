"""That a policy refuses its knobs, and in which words."""

import re

import pytest


def refused(kind, knobs, first, *words):
    with pytest.raises(ValueError, match=first) as caught:
        kind(**knobs)
    for word in words:
        assert re.search(word, str(caught.value)), f"{word!r} is not in {caught.value}"
