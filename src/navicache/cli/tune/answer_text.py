"""What a search found, in words: the table, the choice and the line of code."""

import math
from pathlib import Path

from navicache.cli.tune.answer import PAGE, SCORES, Answer, format_scores
from navicache.cli.tune.job import TuneJob
from navicache.evaluation.tuning.scores import Scoreboard
from navicache.evaluation.tuning.search import TuneTask
from navicache.records.text_table import TextColumn, format_table_lines

SHOWN = 12  # candidates in the printed table


def describe_answer(job: TuneJob, answer: Answer, path: Path) -> list[str]:
    """What to print: the table, what was chosen and why, and the line of code."""
    lines = [*format_candidates(answer), *list_refused(answer), "", describe_choice(answer)]
    lines.append(f"(on {len(answer.task.confirm)} prompts that the search has not seen)")
    code = f'    navicache.enable(pipe, settings="{path}")'
    return [*lines, "", code, "", f"every candidate and the videos: open {job.out / PAGE}"]


def describe_choice(answer: Answer) -> str:
    """What was chosen, and its figures on the prompts of the confirmation."""
    best, words = answer.best, format_scores(answer.scores(answer.best.name, answer.task.confirm))
    if best.name == answer.usual.name:
        return f"nothing tried is surely better than the default at {answer.speedup:.2f} times the speed: {words}"
    unit = " dB" if answer.board.metric == "psnr" else ""
    versus = "" if answer.lead is None else f", {answer.lead:+.4g}{unit} to the default"
    return f"chosen: {best.name} ({best.policy}), {answer.speedup:.2f} times the speed: {words}{versus}"


def format_candidates(answer: Answer) -> list[str]:
    """The best candidates of the search, with their scores on its prompts."""
    task, board = answer.task, answer.board
    names = [name for name in answer.candidates if board.has(name, task.few)]
    usual = answer.usual.name
    names.sort(key=lambda name: -board.lead(name, usual, task.few, caution=0))
    shown = names[:SHOWN] + ([usual] if usual in names[SHOWN:] else [])
    scores = [answer.scores(name, [*task.search, *task.confirm]) for name in shown]
    prompts = [sum((name, prompt) in board.runs for prompt in (*task.search, *task.confirm)) for name in shown]
    columns = [
        TextColumn("candidate", shown, is_left_aligned=True),
        TextColumn("prompts", list(map(str, prompts))),
        TextColumn("to the\ndefault", [describe_lead(board, name, usual, task) for name in shown]),
        TextColumn("steps a\ncompute", [f"{board.speedup(name, task.few):.2f}" for name in shown]),
        *(
            TextColumn(metric.upper(), [f"{score[metric]:{form}}" if metric in score else "-" for score in scores])
            for metric, form in SCORES.items()
        ),
    ]
    return format_table_lines(columns)


def list_refused(answer: Answer) -> list[str]:
    """The candidates that cannot be put on this model, and why."""
    return [f"not possible: {name}: {reason}" for name, reason in answer.board.refused.items()]


def describe_lead(board: Scoreboard, name: str, usual: str, task: TuneTask) -> str:
    """How much better a candidate is than the default on the prompts that both were run on."""
    lead = board.lead(name, usual, [*task.search, *task.confirm], caution=0)
    return "-" if name == usual or math.isinf(lead) else f"{lead:+.2f}" if board.metric == "psnr" else f"{lead:+.4f}"
