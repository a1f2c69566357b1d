"""The table against EasyCache pairs each prompt with the nearest count."""

from pathlib import Path

from tests.comfyui.rows import Row, Rows, Setting
from tests.comfyui.table import pairs, table


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
