"""What is told to be wrong before the heavy work, and what to write instead."""

import re
from types import SimpleNamespace

import pytest
from tests.support.files import names_in

from navicache.generation.checks import check_output, check_sizes, check_vocabulary


def test_a_folder_that_can_be_made_leaves_nothing_behind(tmp_path):
    check_output(tmp_path)
    check_output(tmp_path / "new" / "newer")
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "file").write_text("mine")
    for out in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(ValueError, match="file is a file; name another folder with --out"):
            check_output(out)
    assert names_in(tmp_path) == ["file"]


def test_a_folder_that_cannot_be_written_is_refused(tmp_path, monkeypatch):
    def refuse(dir):  # noqa: A002
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("navicache.generation.checks.tempfile.TemporaryFile", refuse)
    with pytest.raises(ValueError, match="Permission denied; name another folder with --out"):
        check_output(tmp_path)


class WanTransformer3DModel:
    config = SimpleNamespace(patch_size=(1, 2, 2))


def pipe(transformer):
    components = {"transformer": transformer}
    return SimpleNamespace(components=components, vae_scale_factor_temporal=4, vae_scale_factor_spatial=8)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"num_frames": 4}, "--frames must be 4k+1, got 4: 1 or 5 would do"),
        ({"num_frames": 7}, "--frames must be 4k+1, got 7: 5 or 9 would do"),
        ({"height": 40}, "--height must be a multiple of 16, got 40: 32 or 48 would do"),
        ({"width": 8}, "--width must be a multiple of 16, got 8: 16 or 32 would do"),
    ],
)
def test_sizes_that_wan_would_round_are_refused(arguments, said):
    with pytest.raises(ValueError, match=f"^{re.escape(said)}$"):
        check_sizes(pipe(WanTransformer3DModel()), arguments)
    check_sizes(pipe(object()), arguments)  # others refuse by themselves


def test_sizes_that_fit_are_taken():
    check_sizes(pipe(WanTransformer3DModel()), {"num_frames": 9, "height": 48, "width": 32})
    check_sizes(pipe(WanTransformer3DModel()), {})


def test_unknown_words_are_named_once_with_the_nearest():
    check_vocabulary([], ["ball"])
    with pytest.raises(ValueError, match=r"'bal' \(nearest: ball\); 'xyz'\. It knows 2 words: ball, cat") as refused:
        check_vocabulary(["bal", "xyz", "bal"], ["cat", "ball", "<pad>"])
    assert "<pad>" not in str(refused.value)
