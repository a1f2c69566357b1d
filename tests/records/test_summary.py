"""What a user reads after a run, to the letter."""

import math

import pytest
from tests.records.common import row, run_of

from navicache.records import RunRecord, StepRecord, Trace, summarise


def lines(run: RunRecord, **options) -> list[str]:
    return summarise([run], **{"details": False, **options}).split("\n")


def small_run() -> RunRecord:
    shared = {"stream": "cond", "threshold": 0.05}
    steps = (
        StepRecord(index=0, computed=True, reason="align", time=1000, **shared),
        StepRecord(index=1, computed=True, reason="align", time=750, ratio=4.5, variance=0.25, **shared),
        StepRecord(
            index=2, computed=False, reason="gate", time=500, accumulated=0.0123, ratio=2.0, variance=1, **shared
        ),
        StepRecord(index=3, computed=True, reason="last step", time=250, accumulated=0.06, reuse_error=0.02, **shared),
    )
    notes = ("without the number of steps the last one may be reused",)
    return RunRecord(model="Toy", policy="navicache", settings={"threshold": 0.05}, steps=steps, notes=notes)


EXPECTED = """\
navicache on Toy: computed 3 of 4 steps (1.33x fewer calls)
■■·■
note: without the number of steps the last one may be reused
knobs: threshold=0.05

step  time  decision  reason        accumulated  ratio    std    reuse
                                    / threshold                  error
----  ----  --------  ---------  --------------  -----  -----  -------
   0  1000  compute   align            - / 0.05      -      -        -
   1   750  compute   align            - / 0.05  4.500  0.500        -
   2   500  reuse     gate       0.01230 / 0.05  2.000  1.000        -
   3   250  compute   last step  0.06000 / 0.05      -      -  0.02000"""


def test_a_small_run_to_the_letter():
    assert summarise([small_run()]) == EXPECTED


@pytest.mark.parametrize(
    ("belief", "shown"),
    [
        ("predicted_change", ["predicted", "growth", "error"]),
        ("accumulated", ["predicted", "ratio", "measured", "change"]),
    ],
)
def test_what_an_estimate_is_of(belief, shown):
    """An error gate predicts errors by their growth; a ratio gate changes, by a ratio that can be measured."""
    step = StepRecord(
        index=0, stream="cond", computed=True, reason="gate", ratio=2.0, predicted_change=0.1, measured_ratio=9.0
    )
    table = summarise([run_of([step], belief=belief)]).split("\n\n")[1]
    heading = " ".join(table.split("----")[0].split())
    assert all(word in heading for word in shown)
    assert not any(word in heading for word in {"growth", "measured", "ratio"} - {*shown})


def test_without_details_the_table_is_left_out():
    assert summarise(Trace((small_run(),)), details=False) == EXPECTED.split("\nknobs")[0]


def test_nothing_yet():
    assert summarise([]) == summarise(Trace()) == "nothing has run yet"
    assert lines(run_of(), details=True) == ["navicache on Toy: no step has run yet"]


@pytest.mark.parametrize(
    ("schedule", "fields", "tally"),
    [
        ("C" * 23 + "r" * 27, {"total": 50}, "computed 23 of 50 steps (2.17x fewer calls)"),
        ("CCr", {"total": 50}, "computed 2 of 3 steps so far, 50 in all (1.50x fewer calls)"),
        ("CCr", {"total": 50, "finished": True}, "computed 2 of 3 steps seen here, 50 in all (1.50x fewer calls)"),
        ("CCr", {}, "computed 2 of 3 steps (1.50x fewer calls)"),
        ("CC", {}, "computed 2 of 2 steps (nothing was reused)"),
        ("C", {}, "computed 1 of 1 step (nothing was reused)"),
    ],
)
def test_headline(schedule, fields, tally):
    assert lines(run_of(row(schedule), **fields))[0] == f"navicache on Toy: {tally}"


def test_several_samples_are_averaged_and_counted_one_by_one():
    assert lines(run_of(row("CCrr"), row("CCCC", stream="uncond"), row("CrCC", sample=1))) == [
        "navicache on Toy: computed 2.5 of 4 steps on average over 2 samples (1.60x fewer calls)",
        "sample 0 (2)  ■■··",
        "sample 1 (3)  ■·■■",
    ]


def test_at_most_eight_samples_are_drawn_and_the_rest_counted():
    text = lines(run_of(*(row("CCr" if sample < 9 else "Crr", sample=sample) for sample in range(10))))
    assert [line[:8] for line in text[1:9]] == [f"sample {sample}" for sample in range(8)]
    assert text[9:] == ["and 2 more samples, computed: 2, 1"]


def test_bars_and_notes_are_broken_at_the_width():
    run = run_of(row("C" * 25), row("r" * 25, sample=1), notes=("one two three four five six",))
    assert lines(run, width=24)[1:] == [
        "sample 0 (25)  " + "■" * 9,
        " " * 15 + "■" * 9,
        " " * 15 + "■" * 7,
        "sample 1 (0)  " + "·" * 10,
        " " * 14 + "·" * 10,
        " " * 14 + "·" * 5,
        "note: one two three four",
        "      five six",
    ]
    with pytest.raises(ValueError, match="give at least 20"):
        summarise([run], width=10)


def test_the_newest_run_is_shown_and_says_why_it_began():
    old, new = run_of(row("CCC")), run_of(row("Cr"), started="pipeline reset", settings={"align_steps": 10})
    assert summarise([old, new]).split("\n")[:4] == [
        "navicache on Toy: computed 1 of 2 steps (2.00x fewer calls)",
        "■·",
        "newest of 2 runs, begun by: pipeline reset",
        "knobs: align_steps=10",
    ]


def test_unknown_columns_are_left_out_and_not_finite_numbers_are_not():
    steps = [StepRecord(index=0, stream="0", computed=True, reason="not finite", input_change=math.nan, variance=-1.0)]
    table = summarise([run_of(steps)]).split("\n\n")[1].split("\n")
    assert table == [
        "step  decision  reason       input  std",
        "                            change",
        "----  --------  ----------  ------  ---",
        "   0  compute   not finite     nan  nan",
    ]


def test_every_output_has_a_column_of_its_error():
    told = (None, {"1": 0.5}, {"1": 0.25, "audio_sample": 0.125})
    steps = [StepRecord(index=i, stream="0", computed=True, reason="gate", other_errors=e) for i, e in enumerate(told)]
    table = summarise([run_of(steps)]).split("\n\n")[1].split("\n")
    assert table[0].split() == ["step", "decision", "reason", "output", "1", "audio_sample"]
    assert [line.split()[3:] for line in table[3:]] == [["-", "-"], ["0.5000", "-"], ["0.2500", "0.1250"]]
