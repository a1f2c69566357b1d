"""The gallery: its page is that of its figures, its pictures are small, and the script makes one in miniature."""

import json

import pytest
from benchmarks.gallery import __main__ as gallery
from benchmarks.gallery.page import FIGURES, PAGE, main, write_page

from navicache.pocket import MEMBERS

PROMPTS = ["a red ball in front of a beach", "a blue cube in front of a night sky"]
KILOBYTES = 180  # of a picture; those of `wild` at 4x differ everywhere


def test_the_page_is_written_from_the_figures():
    assert PAGE.read_text(encoding="utf-8") == write_page(json.loads(FIGURES.read_text(encoding="utf-8")))


def test_every_model_and_speedup_is_shown_with_its_figures():
    figures = json.loads(FIGURES.read_text(encoding="utf-8"))
    assert tuple(figures["models"]) == gallery.ORDER and {*MEMBERS} == {*gallery.ORDER, "turbo"}
    for name, model in figures["models"].items():
        assert list(model["speedups"]) == ["2", "3", "4"]
        assert model["prompts"] == gallery.choose_held_out(name)
        assert all(row["psnr"] and row["lpips"] is not None for row in model["speedups"].values())


def test_pictures_are_there_and_small():
    figures = json.loads(FIGURES.read_text(encoding="utf-8"))
    named = {row["picture"] for model in figures["models"].values() for row in model["speedups"].values()}
    named |= {model["animation"] for model in figures["models"].values() if model["animation"]}
    sizes = {path.name: path.stat().st_size for path in FIGURES.parent.iterdir() if path != FIGURES}
    assert set(sizes) == named
    assert max(sizes.values()) < KILOBYTES * 1000
    assert sum(sizes.values()) < 2_000_000


@pytest.mark.parametrize("model", ["unet", "cogvideox"])
def test_the_script_in_miniature(model, tmp_path, monkeypatch):
    monkeypatch.setattr(gallery, "choose_prompts", lambda which, count: (PROMPTS * count)[:count])
    monkeypatch.setattr(gallery, "IMAGES", 3)
    few = ["--models", model, "--steps", "8", "--speedups", "2", "--out", str(tmp_path)]
    figures = gallery.main(few)
    assert json.loads((tmp_path / "figures.json").read_text()) == figures
    assert figures["models"][model]["speedups"]["2"]["computed"] == 4
    assert (tmp_path / f"{model}-2x.jpg").stat().st_size > 1000
    assert (tmp_path / f"{model}.webp").exists() == (model == "cogvideox")
    main(["--figures", str(tmp_path / "figures.json"), "--out", str(tmp_path / "gallery.md")])
    assert "**2x**: 4 of 8 steps computed, PSNR " in (tmp_path / "gallery.md").read_text()
