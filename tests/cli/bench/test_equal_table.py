"""The table at equal computed steps, as text."""

import csv
import io
import re
from fractions import Fraction

from tests.evaluation.bench.curves import BY_THRESHOLD, INERTIAL, NAVICACHE, plain

from navicache.cli.bench.equal_table import (
    MOST_CELLS_NAMED,
    describe_leads,
    equal_steps_csv,
    equal_steps_table,
    format_lead_figures,
)
from navicache.evaluation.bench.leads import LeadSummary, SeriesLead


def verdict(**changed) -> LeadSummary:
    usual = {
        "ours": "inertial",
        "counted": 4,
        "behind": {0.5: (), 1.5: ()},
        "leads": (),
    }
    return LeadSummary(**{**usual, **changed})


def test_the_verdict_in_sentences():
    assert describe_leads(verdict()) == [
        "behind another policy by more than 0.5 dB: 0",
        "behind another policy by more than 1.5 dB: 0",
    ]


def test_only_so_many_places_behind_are_named():
    places = tuple(f"place {number}" for number in range(MOST_CELLS_NAMED + 3))
    lines = describe_leads(verdict(behind={0.5: places, 1.5: places[:1]}))
    assert lines[-1] == "  and 3 more"
    assert sum(line.startswith("  place") for line in lines) == MOST_CELLS_NAMED


def test_a_lead_has_its_sign_and_says_where_it_is_none():
    lead = SeriesLead("navicache", Fraction(1, 2), 2.04, -0.5, 1.0, 0, 6)
    assert format_lead_figures(lead) == "+2.0 (-0.5; +1.0)"
    assert (
        format_lead_figures(SeriesLead("navicache", Fraction(1, 2), 2.0, -0.5, 1.0, 2, 6))
        == "+2.0 (-0.5; +1.0, behind in 2 of 6)"
    )


def test_a_table_needs_another_series_beside_ours():
    assert equal_steps_table([*plain(), *INERTIAL]) == []
    text = "\n".join(equal_steps_table([*plain(), *INERTIAL, *NAVICACHE]))
    assert "at most 4.3 dB below the best of everything measured (m, c, 17/50), 2.2 on average" in text
    assert "lead of" in text and "21/50" in text
    more = "\n".join(equal_steps_table([*plain(), *INERTIAL, *NAVICACHE, *BY_THRESHOLD]))
    assert re.search(r"^T +0\.0 / 0\.0 \(0\.0; 0\.0\) .* - +1 +m, c, 1/2$", more, re.MULTILINE), (
        "a third is not reached"
    )


def test_the_file_has_a_line_for_every_budget_and_series():
    table = list(csv.DictReader(io.StringIO(equal_steps_csv([*plain(), *INERTIAL, *NAVICACHE]))))
    assert {line["policy"] for line in table} == {"inertial", "navicache"}
    assert len({(line["budget"], line["series"]) for line in table}) == len(table)
    assert all(float(line["psnr"]) > 0 for line in table)
    half = {line["series"]: line for line in table if line["budget"] == "1/2"}
    assert [half["N"][name] for name in ("psnr", "median", "worst", "regret")] == ["41", "41", "39", "4"]
    assert half["I"]["regret"] == "0"
