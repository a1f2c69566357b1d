"""The table against EasyCache pairs each prompt with the nearest count."""

from pathlib import Path

from tests.comfyui.rows import Row, Rows, Setting
from tests.comfyui.table import condition_table, pairs, read_parts, spacing_table, table


def test_the_nearest_scored_count_is_taken(tmp_path: Path) -> None:
    rows = Rows(tmp_path / "20")
    for row in (
        Row("euler", 0, "plain", None, 20, None),
        Row("euler", 0, "navicache", 2.0, 10, 45.0),
        Row("euler", 0, "easycache", 0.1, 12, 44.0),
        Row("euler", 0, "easycache", 0.2, 10, None),  # sampled, and not yet scored
        Row("euler", 0, "easycache", 0.15, 11, 41.0),
        Row("euler", 1, "navicache", 2.0, 10, 30.0),  # nothing to hold it against
        Row("heun", 0, "plain", None, 39, None),
    ):
        rows.add(row)
    (pair,) = pairs(rows, Setting("euler"))
    assert (pair.theirs.setting, pair.lead) == (0.15, 4.0)
    assert pairs(rows, Setting("heun")) == []
    head, _, first, *_, last = table(read_parts(tmp_path))
    assert head == "| sampler | 20 steps |"
    assert first == "| `euler` | 45.0, 41.0 (+1.0 computed): **+4.0** (+4.0 to +4.0; 1 prompts) |"
    assert last == "| `heun` |  |"


def test_spacings_are_columns_and_all_leads_have_one_interval(tmp_path: Path) -> None:
    for steps, spacing, lead in ((12, "karras", 3.0), (20, "karras", 5.0), (12, "beta", -1.0)):
        rows, made_with = Rows(tmp_path / str(steps)), {"spacing": spacing, "cfg": 4.0}
        rows.add(Row("euler", 0, "plain", None, steps, None, **made_with))
        rows.add(Row("euler", 0, "navicache", 2.0, steps / 2, 40 + lead, **made_with))
        rows.add(Row("euler", 0, "easycache", 0.1, steps / 2, 40.0, **made_with))
    *lines, _, mean = spacing_table(read_parts(tmp_path))
    assert "+4.0 (2)" in lines[2] and "-1.0" in lines[2]
    assert spacing_table(read_parts(tmp_path), ["beta"])[0] == "| sampler | beta |"
    assert mean.startswith("mean +2.3 dB, ") and mean.endswith("median +3.0; 2 of 3 ahead, least -1.0")


def test_fewer_steps_are_a_rival_too_and_the_interval_is_over_prompts(tmp_path: Path) -> None:
    rows, made_with = Rows(tmp_path / "12"), {"spacing": "beta", "cfg": 4.0}
    for prompt, lead in ((0, 2.0), (0, 2.0), (1, 8.0)):  # a prompt that came twice
        rows.add(Row("euler", prompt, "plain", None, 12, None, **made_with))
        rows.add(Row("euler", prompt, "navicache", 2.0, 6, 30 + lead, **made_with))
        rows.add(Row("euler", prompt, "fewer steps", 6, 6, 30.0, **made_with))
    rows.add(Row("euler", 2, "navicache", 2.0, 6, 30.0, **made_with))  # no rival yet
    *_, line, _, mean = spacing_table(read_parts(tmp_path), rival="fewer steps")
    assert line == "| `euler` | +5.0 (2) |"
    assert mean == "mean +5.0 dB, +2.0 to +8.0 at 95 % over 2 prompts, median +5.0; 2 of 2 ahead, least +2.0"


def test_conditions_gather_settings_and_have_both_rivals(tmp_path: Path) -> None:
    """Two processes have a folder each."""
    for part, (cfg, denoise, lead) in enumerate(((1.0, 1.0, 4.0), (6.0, 1.0, -2.0), (6.0, 0.5, 9.0))):
        rows, made_with = Rows(tmp_path / str(part) / "12"), {"cfg": cfg, "denoise": denoise}
        rows.add(Row("euler", 0, "plain", None, 12, None, **made_with))
        rows.add(Row("euler", 0, "navicache", 2.0, 6, 40 + lead, **made_with))
        rows.add(Row("euler", 0, "easycache", 0.1, 6, 40.0, **made_with))
        rows.add(Row("euler", 0, "fewer steps", 6, 6, 38.0, **made_with))
    parts = read_parts(*(tmp_path / str(part) for part in range(3)))
    lines = condition_table(parts)
    assert "| denoise 0.5 | +9.0 | +9.0, 1 of 1 | +11.0 | +11.0 | 0 of 1 |" in lines
    assert "| whole, 12 steps | +1.0 | +1.0, 1 of 2 | +3.0 | +0.0 | 0 of 2 |" in lines
    assert "| whole, cfg 6 | -2.0 | -2.0, 0 of 1 | +0.0 | +0.0 | 0 of 1 |" in lines
    assert "| denoise 0.5 | +2.0 | +2.0, 1 of 1 | +4.0 | +4.0 | 0 of 1 |" in condition_table(parts, limit=42.0)
