"""Where fetched files go on each platform."""

from pathlib import Path

import pytest

from navicache.evaluation import download_folder


@pytest.fixture(autouse=True)
def user(monkeypatch, tmp_path):
    for name in ("NAVICACHE_HOME", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("platform", "expected"),
    [("linux", ".cache"), ("darwin", "Library/Caches"), ("win32", "AppData/Local")],
)
def test_the_platforms_rule(platform, expected, user, monkeypatch):
    monkeypatch.setattr(download_folder.sys, "platform", platform)
    assert download_folder.get_download_folder() == user / expected / "navicache"


def test_what_the_user_sets_goes_first(user, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(user / "caches"))
    assert download_folder.get_download_folder() == user / "caches" / "navicache"
    monkeypatch.setenv("NAVICACHE_HOME", str(user / "mine"))
    assert download_folder.get_download_folder() == user / "mine"
    monkeypatch.setenv("NAVICACHE_HOME", "")
    assert download_folder.get_download_folder() == user / "caches" / "navicache"
