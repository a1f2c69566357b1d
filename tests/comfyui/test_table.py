"""The table against EasyCache pairs each prompt with the nearest count."""

from pathlib import Path

from tests.comfyui.rows import Row, Rows, Setting
from tests.comfyui.table import pairs, read_parts, spacing_table, table


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
    head, _, first, *_, last = table(tmp_path)
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
