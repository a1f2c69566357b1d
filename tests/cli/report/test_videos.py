"""Which runs have players, and where their videos are."""

import base64

import pytest

from navicache.cli.report import videos
from navicache.cli.report.results import FOLDER
from navicache.cli.report.videos import build_video_addresses, select_groups_with_videos


def row(group, kind="cached", video="v.mp4", condition="own"):
    return {
        "group": group,
        "kind": kind,
        "video": video,
        "model": "toy",
        "condition": condition,
        "key": f"{group}{kind}",
    }


def groups(rows, most=16):
    return [[each["key"] for each in own] for own in select_groups_with_videos(rows, most)]


def test_the_first_so_many_groups_of_each_condition_are_shown():
    rows = [row(group, kind, condition=group[0]) for group in ("a1", "a2", "b1") for kind in ("baseline", "cached")]
    assert groups(rows) == [["a1baseline", "a1cached"], ["a2baseline", "a2cached"], ["b1baseline", "b1cached"]]
    assert [own[0] for own in groups(rows, 1)] == ["a1baseline", "b1baseline"]


@pytest.mark.parametrize(
    "rows",
    [
        [row("a")],
        [row("a", "baseline", video="v.png")],
        [row("a", "baseline", video=None)],
        [row("a", "shadow")],
    ],
    ids=["no baseline", "a picture", "not kept", "shadow"],
)
def test_what_has_no_player_is_left_out(rows):
    assert groups(rows) == []


@pytest.fixture
def rows(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a b.mp4").write_bytes(b"frames")
    return [{**row("a", video="a b.mp4"), FOLDER: tmp_path / "out"}]


def test_videos_are_inside_the_page_or_beside_it(rows, tmp_path):
    inside = f"data:video/mp4;base64,{base64.b64encode(b'frames').decode()}"
    assert build_video_addresses(rows, "inside", tmp_path) == {"acached": inside}
    assert build_video_addresses(rows, "beside", tmp_path) == {"acached": "out/a%20b.mp4"}
    assert build_video_addresses(rows, "beside", tmp_path / "pages") == {"acached": "../out/a%20b.mp4"}


def test_by_itself_a_page_carries_what_is_not_too_much(rows, tmp_path, monkeypatch):
    assert build_video_addresses(rows, "auto", tmp_path)["acached"].startswith("data:")
    monkeypatch.setattr(videos, "MOST_BYTES_INSIDE", 5)
    assert build_video_addresses(rows, "auto", tmp_path)["acached"] == "out/a%20b.mp4"
