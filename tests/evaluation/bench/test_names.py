"""Files stay where they belong, each under a name of its own."""

from pathlib import PurePosixPath

from hypothesis import given
from hypothesis import strategies as st

from navicache.evaluation.bench.names import LONGEST_NAME, file_stem, slug


@given(st.text(max_size=300))
def test_no_name_leaves_its_folder(text):
    for name in (slug(text), file_stem(text)):
        assert PurePosixPath(name).name == name
        assert name not in (".", "..") and "\0" not in name
        assert len(name.encode()) <= LONGEST_NAME


@given(st.text(max_size=300), st.text(max_size=300))
def test_two_prompts_never_share_a_file(first, second):
    assert first == second or file_stem(first) != file_stem(second)
