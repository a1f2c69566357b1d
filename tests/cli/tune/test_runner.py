"""What runs the candidates of a search."""

from navicache.cli.tune.runner import TrialRunner
from navicache.evaluation.bench.plan import PlanCondition, PlanModel
from navicache.evaluation.bench.rows import RowFile
from navicache.evaluation.tuning.scores import Candidate, Scoreboard


def test_a_candidate_that_is_asked_for_twice_is_run_once(tmp_path):
    calls = []

    def execute(groups, make_worker):
        for batch in (batch for group in groups for batch in group):
            calls.append([job.prompt_index for job in batch])
            yield [
                {"key": job.key, "kind": "cached", "setting": job.setting.name, "prompt_index": job.prompt_index}
                | {"steps": {"computed": 1, "total": 2}, "quality": {"psnr": 30.0}}
                for job in batch
            ]

    about = PlanModel("model", "pocket"), PlanCondition(), ("a", "b", "c"), 0
    runner = TrialRunner(*about, RowFile(tmp_path / "rows.jsonl"), None, execute, Scoreboard(), batch=2)
    once = Candidate("default 5", "inertial", {"speedup": 2.0})
    runner.try_out([(once, range(3)), (once, range(2))])
    assert calls == [[0, 1], [2]] and runner.cost == 1.5

    again = TrialRunner(*about, RowFile(tmp_path / "rows.jsonl"), None, execute, Scoreboard(), batch=2)
    assert again.cost == 0, "nothing was asked for yet: the rows of another search cost this one nothing"
    again.try_out([(once, range(2))])
    assert len(calls) == 2 and again.cost == 1.0
