"""The sheet of frames: a row for each setting, the first without difference."""

import numpy as np
from benchmarks.paper.case_sheet import GAP, LABEL, MARGIN, SIDE, describe_row, draw_sheet, main, pick_pictures
from PIL import Image

BASELINE = {"setting": "baseline", "kind": "baseline", "steps": {"total": 50, "computed": 50, "partial": 0}}
STEPS = {"total": 50, "computed": 17, "partial": 0}
CACHED = {"setting": "N", "kind": "cached", "steps": STEPS, "quality": {"psnr": 42.0}}


def test_every_setting_is_a_row_of_the_picture():
    plain = np.full((9, 16, 16, 3), 0.5, dtype=np.float32)
    other = plain.copy()
    other[-1] += 0.05
    sheet = np.asarray(draw_sheet([BASELINE, CACHED], {"baseline": plain, "N": other}, "toy"))
    assert sheet.shape[:2] == (MARGIN + 2 * (SIDE + GAP), LABEL + 6 * (SIDE + GAP))
    last = LABEL + 5 * (SIDE + GAP) + SIDE // 2
    rows = [MARGIN + row * (SIDE + GAP) + SIDE // 2 for row in (0, 1)]
    assert sheet[rows[0], last].max() == 0 < sheet[rows[1], last].min(), "the difference of the last frame"


def test_a_short_clip_shows_what_it_has():
    clip = np.zeros((1, 8, 8, 3), dtype=np.float32)
    assert len(pick_pictures(clip, clip)) == 2


def test_steps_of_which_a_part_is_reused_do_not_count():
    assert describe_row(BASELINE) == ["every step computed", "50 steps"]
    partial = {**CACHED, "steps": {"total": 50, "computed": 50, "partial": 33}}
    assert describe_row(partial)[1:] == ["17 of 50 steps", "42.0 dB"]


PLAN = """
name = "sheet"
prompts = { source = "file", file = "prompts.txt" }
videos = 0

[[models]]
name = "wan"
model = "pocket"
dtype = "float32"
call = { num_inference_steps = 4, num_frames = 5, height = 16, width = 16 }

[[settings]]
name = "Static cache"
policy = "static"
knobs = { interval = 2.0 }
"""


def test_the_command_runs_a_plan(pocket, tmp_path):
    (tmp_path / "prompts.txt").write_text("a red ball moves left\n")
    (tmp_path / "plan.toml").write_text(PLAN)
    assert main([str(tmp_path / "plan.toml"), "--out", str(tmp_path / "out")]) == 0
    with Image.open(tmp_path / "out" / "wan-default.jpg") as sheet:
        assert sheet.height == MARGIN + 2 * (SIDE + GAP)
