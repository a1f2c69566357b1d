"""Runs of 8 to 12 steps: the plan with all lists is run on paper, and its table has every figure that is known."""

from benchmarks.quality import few_steps
from benchmarks.quality.few_steps_table import collect_scores, format_markdown
from tests.evaluation.bench.curves import row

from navicache.evaluation.bench.plan_file import read_plan

SMALL = """
name = "small"
prompts = { source = "file", file = "p.txt" }
models = [{ name = "u", model = "pocket:unet" }]
conditions = [{ name = "8 steps", call = { num_inference_steps = 8 } }]
[[settings]]
name = "fewer steps"
policy = "none"
shares = [0.75]
[[settings]]
name = "inertial 6 of 8"
policy = "inertial"
knobs = { speedup = 1.3333 }
"""
PSNR = {"none": (20.0, 30.0), "inertial": (30.0, 32.0), "schedule": (10.0, 20.0)}
LISTS_OF_SIX = 10  # two of the steps 2 to 6


def complete_plan(folder):
    (folder / "small.toml").write_text(SMALL)
    (folder / "p.txt").write_text("a ball\na star\n")
    assert few_steps.main([str(folder / "small.toml"), "--out", str(folder / "out" / "plan.toml")]) == 0
    return read_plan(folder / "out" / "plan.toml")


def run_on_paper(plan):
    """Each setting on two prompts; the list that reuses the steps 3 and 6 is 10 dB better than the other lists."""
    for setting in plan.settings:
        computed = len(setting.knobs.get("at", range(6)))
        bonus = 10 * (setting.knobs.get("at") == (0, 1, 2, 4, 5, 7))
        for prompt, psnr in enumerate(PSNR[setting.policy]):
            facts = {"prompt": prompt, "policy": setting.policy, "cell": ("u", "8 steps")}
            yield {**row(setting.name, computed, psnr + bonus, **facts), "prompt_index": prompt}


def read_lines(rows):
    return format_markdown(collect_scores(rows)).splitlines()[2:]


def test_the_plan_has_every_list_and_its_prompts(tmp_path):
    settings = complete_plan(tmp_path).settings
    assert (tmp_path / "out" / "p.txt").read_text() == "a ball\na star\n"
    lists = [setting.knobs["at"] for setting in settings if setting.policy == "schedule"]
    assert [len(steps) for steps in lists] == [6] * LISTS_OF_SIX + [5] * 10
    assert all(steps[:2] == (0, 1) and steps[-1] == 7 for steps in lists)


def test_the_table_has_means_leads_and_the_best_list(tmp_path):
    rows = [*run_on_paper(complete_plan(tmp_path))]
    mean_of_lists = 15 + 10 / LISTS_OF_SIX
    assert read_lines(rows) == [
        f"| `u` | 6 of 8 | 25.0 | 31.0 | +6.0 (+2.0 to +10.0) | {mean_of_lists:.1f} | 25.0 | 3, 6 |"
    ]


def test_what_was_not_measured_is_a_dash_and_the_rest_stays(tmp_path):
    rows = [*run_on_paper(complete_plan(tmp_path))]
    own, fewer = ([each for each in rows if each["policy"] == policy] for policy in ("inertial", "none"))
    assert read_lines(own + fewer) == ["| `u` | 6 of 8 | 25.0 | 31.0 | +6.0 (+2.0 to +10.0) | - | - | - |"]
    assert read_lines(own) == ["| `u` | 6 of 8 | - | 31.0 | - | - | - | - |"]
    assert "| +10.0 |" in read_lines(own[:1] + fewer[:1])[0], "one prompt has no interval"
