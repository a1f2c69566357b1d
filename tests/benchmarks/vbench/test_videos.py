"""Which videos VBench is shown, and under which names."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.vbench.videos import (
    BenchVideo,
    choose_settings,
    fingerprint,
    lay_out_links,
    read_prompts,
    read_settings,
)
from tests.support.vbench_package import BALL, CAT, LIST, SEEDS, write_results

from navicache.evaluation.bench.names import file_stem
from navicache.evaluation.bench.prompts import find_vbench_list

needs_vbench = pytest.mark.skipif(
    importlib.util.find_spec("vbench") is None, reason="no vbench: pip install --no-deps vbench==0.1.5 brings it"
)
# prompts/README.md of github.com/Vchitect/VBench at 45e79ec
PUBLISHED = (
    {"subject_consistency": 72, "background_consistency": 86, "temporal_flickering": 75, "motion_smoothness": 72}
    | {"dynamic_degree": 72, "aesthetic_quality": 93, "imaging_quality": 93, "object_class": 79, "multiple_objects": 82}
    | {"human_action": 100, "color": 85, "spatial_relationship": 84, "scene": 86, "temporal_style": 100}
    | {"appearance_style": 90, "overall_consistency": 93}
)
# What vbench 0.1.5 imports and this does not use; what is installed goes before.
UNUSED = {
    "decord.py": "VideoReader = cpu = None",
    "torchvision/__init__.py": "",
    "torchvision/transforms.py": "Compose = Resize = CenterCrop = ToTensor = Normalize = ToPILImage = InterpolationMode"
    " = type('Unused', (), {'BICUBIC': 0, 'BILINEAR': 0})",
}
ASK = """
import sys
sys.path.append(sys.argv[1])
from vbench import VBench
print(VBench("cpu", sys.argv[2], sys.argv[3]).build_full_info_json(sys.argv[4], "asked", [sys.argv[5]]), end="")
"""


@pytest.fixture
def results(tmp_path) -> Path:
    return write_results(_folder(tmp_path, "results"))


def _folder(tmp_path: Path, name: str) -> Path:
    (tmp_path / name).mkdir()
    return tmp_path / name


def test_prompts_by_dimension(tmp_path):
    (tmp_path / "list.json").write_text(json.dumps(LIST))
    found = read_prompts(tmp_path / "list.json")
    assert found["color"] == [BALL, CAT] and found["scene"] == [BALL] and found["temporal_flickering"] == [CAT]


def test_what_is_there_and_what_is_not(results):
    baseline, fast = read_settings([results])
    assert baseline.parts == ("tiny-1", "small", "baseline") and fast.place == ("Tiny 1", "small", "fast one")
    assert list(fast.found([CAT, "no such"], 2)) == [f"{CAT}-0.mp4", f"{CAT}-1.mp4"]
    assert fast.missing([CAT, "no such"], 6) == [f"{CAT}-5.mp4", *(f"no such-{number}.mp4" for number in range(6))]
    (results / "videos/tiny-1/small/fast-one" / f"{CAT}-4.mp4").unlink()
    assert read_settings([results])[1].missing([CAT]) == [f"{CAT}-4.mp4"], "a row without its file"


def test_videos_that_were_not_kept_and_pictures_are_missing(results):
    rows = [json.loads(line) for line in (results / "rows.jsonl").read_text().splitlines()]
    rows[0]["video"] = None
    picture = Path(rows[1]["video"]).with_suffix(".png")
    (results / rows[1]["video"]).rename(results / picture)
    rows[1]["video"] = str(picture)
    (results / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert read_settings([results])[0].missing([BALL]) == [f"{BALL}-0.mp4", f"{BALL}-1.mp4"]


def test_seeds_of_several_folders_are_numbered_together_and_the_first_folder_counts(results, tmp_path):
    other = write_results(_folder(tmp_path, "other"), prompts=(CAT,), seeds=(1, *SEEDS))
    (fast,) = choose_settings(read_settings([results, other, results]), ["settings=fast"])
    keys = [video.key for video in fast.found([CAT], 6).values()]
    assert keys == [f"fast one {CAT} {seed}" for seed in (*SEEDS, 1)], "more seeds do not move the first five"
    folders = [video.path.is_relative_to(other) for video in fast.found([CAT], 6).values()]
    assert folders == [False, False, False, False, False, True]


def test_links_hold_what_is_wanted_and_nothing_else(results, tmp_path):
    (_, fast) = read_settings([results])
    videos = fast.found([CAT])
    lay_out_links(tmp_path / "links", fast.found([BALL]))
    lay_out_links(tmp_path / "links", videos)
    assert {path.name for path in (tmp_path / "links").iterdir()} == set(videos)
    assert (tmp_path / "links" / f"{CAT}-1.mp4").read_bytes() == f"fast one {CAT} 11".encode()
    assert all(path.exists() for path in (results / "videos/tiny-1/small/fast-one").iterdir()), "links go, videos stay"


def test_a_file_system_without_links_by_name_gets_hard_ones(results, tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError("not for you")

    monkeypatch.setattr(Path, "symlink_to", refuse)
    lay_out_links(tmp_path / "links", read_settings([results])[1].found([CAT]))
    link = tmp_path / "links" / f"{CAT}-1.mp4"
    assert link.stat().st_nlink == 2 and not link.is_symlink()


def test_the_fingerprint_tells_other_videos(results):
    videos = read_settings([results])[1].found([CAT])
    before = fingerprint(videos)
    assert fingerprint(dict(videos)) == before
    name, video = next(iter(videos.items()))
    assert fingerprint({**videos, name: BenchVideo(video.path, "another job")}) != before
    assert fingerprint({key: value for key, value in videos.items() if key != name}) != before
    video.path.write_bytes(b"longer than it was before, by far")
    assert fingerprint(videos) != before


@needs_vbench
def test_the_real_list_has_the_published_numbers_and_every_prompt_can_be_a_file():
    prompts = read_prompts(find_vbench_list())
    assert {name: len(own) for name, own in prompts.items()} == PUBLISHED
    texts = {text for own in prompts.values() for text in own}
    assert len(texts) == 944 and all(file_stem(text) == text for text in texts)


@needs_vbench
@pytest.mark.slow
def test_the_real_vbench_finds_our_links(tmp_path):
    dimension, prompts = "color", read_prompts(find_vbench_list())
    results = write_results(_folder(tmp_path, "results"), settings=("fast one",), prompts=tuple(prompts[dimension]))
    (fast,) = read_settings([results])
    lay_out_links(tmp_path / "links", fast.found(prompts[dimension]))
    for name, text in UNUSED.items():
        path = tmp_path / "unused" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    paths = [tmp_path / "unused", find_vbench_list(), tmp_path / "out", tmp_path / "links"]
    command = [sys.executable, "-c", ASK, *map(str, paths), dimension]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    assert "not found" not in done.stdout
    asked = json.loads((tmp_path / "out" / "asked_full_info.json").read_text())
    assert {entry["prompt_en"] for entry in asked} == set(prompts[dimension])
    found = [Path(video).name for entry in asked for video in entry["video_list"]]
    assert sorted(found) == sorted(fast.found(prompts[dimension])) and len(found) == 5 * PUBLISHED[dimension]
