"""The page of a table at equal computed steps, from rows whose answer is mental arithmetic."""

import json
import re

import pytest

from navicache.cli import main

MACHINE = {"device": "cpu", "name": "made up", "threads": 1}
SERIES = {
    "Inertial": ("inertial", {"speedup": 2.0}, 42.0),
    "Inertial by threshold": ("inertial", {"threshold": 0.2}, 41.0),
    "NaviCache": ("navicache", {"threshold": 0.1}, 40.0),
    "TaylorSeer": ("taylorseer", {"interval": 2}, 38.0),
    "TaylorSeer lite": ("taylorseer", {"interval": 2}, 45.0),
}


def row(key, condition, setting, prompt, computed, *, kind="cached", series="", policy="none", knobs=None, psnr=None):
    return {
        **{"key": key, "group": f"{condition} {prompt}", "kind": kind, "model": "tiny", "published": ""},
        **{"condition": condition, "setting": setting, "series": series, "swept": knobs or {}, "policy": policy},
        **{"mode": None, "prompt": f"prompt {prompt}", "prompt_index": prompt, "seed": 0, "arguments": {}},
        **{"seconds": {"call": 1.0, "loop": 0.5}, "steps": {"total": 20, "computed": computed, "partial": 0}},
        **{"knobs": knobs or {}, "batch": 2, "peak_memory": None, "machine": MACHINE, "versions": {"torch": "2"}},
        **{"quality": None if psnr is None else {"psnr": psnr}, "scoring_seconds": 0.1, "harness_seconds": 0.1},
        **{"video": None, "trace": None},
    }


def rows():
    for condition, shift in (("A", 0.0), ("B", -20.0)):  # in B TaylorSeer lite falls behind
        for prompt in (0, 1):
            yield row(f"{condition}{prompt}", condition, "baseline", prompt, 20, kind="baseline")
            for name, (policy, knobs, psnr) in SERIES.items():
                for computed in (5, 10):
                    here = psnr + computed + prompt + (shift if name == "TaylorSeer lite" else 0.0)
                    more = {"series": name, "policy": policy, "knobs": knobs, "psnr": here}
                    key = f"{condition}{prompt}{name}{computed}"
                    yield row(key, condition, f"{name} {computed}", prompt, computed, **more)


@pytest.fixture
def results(tmp_path):
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(each) + "\n" for each in rows()))
    assert main(["report", str(tmp_path)]) == 0
    return tmp_path


def test_the_page_tells_where_it_is_ahead(results):
    page = (results / "report.html").read_text(encoding="utf-8")
    assert "Inertial is at most 3.0 dB below the best of everything measured, 1.5 on average" in page
    assert "Worst regret, dB" in page
    for words in ("Lead over the best other policy, dB", "Mean lead over each, dB", "All series, PSNR in dB"):
        assert words in page
    for absent in ("Overhead", "Ablations", "Quality against speed", "Latency", 'class="published"'):
        assert absent not in page
    assert page.count("<svg") == 2, "a curve for each cell"
    assert "TaylorSeer lite, dashed" in page and "Inertial by threshold, dashed" in page
    heat = page[page.index("Lead over the best other") : page.index("Mean lead over each")]
    cells = re.findall(r"background:rgba\((\d+),[^>]*>([+-][\d.]+) <small>([^<]*)<", heat)
    assert [(text, best) for _, text, best in cells] == [("-3.0", "TaylorSeer lite")] * 3 + [("+2.0", "NaviCache")] * 3
    assert [red for red, *_ in cells] == ["194"] * 3 + ["18"] * 3, "red behind, green ahead"


def test_the_text_says_the_same(results, capsys):
    assert main(["report", str(results), "--summary"]) == 0
    printed = capsys.readouterr().out
    assert "3.0 dB below the best of everything measured (tiny, A, 17/50), 1.5 on average over 6 cells" in printed
    assert "behind another policy by more than 1.5 dB: 3" in printed
    assert re.search(r"NaviCache +\+2\.0 \(\+2\.0; \+2\.0\)", printed)


def test_nothing_to_compare_ends_with_advice(tmp_path, capsys):
    kept = [each for each in rows() if each["policy"] != "inertial"]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(each) + "\n" for each in kept))
    with pytest.raises(SystemExit) as end:
        main(["report", str(tmp_path), "--summary"])
    assert end.value.code == 2 and "sweep them more widely" in capsys.readouterr().err
    assert main(["report", str(tmp_path)]) == 0
    assert "Equal computed steps" not in (tmp_path / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(("width", "dark"), [(1200, False), (390, True)])
def test_it_opens_without_errors_and_fits(tab, results, width, dark):
    tab.open(results / "report.html", width, dark)
    assert tab.problems == []
    assert tab.value("document.documentElement.scrollWidth") <= width
    tones = tab.value("[...document.querySelectorAll('td[style]')].map(cell => getComputedStyle(cell).backgroundColor)")
    assert len(set(tones)) > 2


def test_rows_of_shared_calls_have_no_seconds(tmp_path):
    made = [{**each, "seconds": None} if each["kind"] == "cached" else each for each in rows()]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(each) + "\n" for each in made))
    assert main(["report", str(tmp_path), "--figures", str(tmp_path / "figures.csv")]) == 0
    assert "writing took 10.0% of the generation time" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_folders_that_share_a_cell_count_its_baselines_once(tmp_path, capsys):
    for folder, own in (("ours", "inertial"), ("theirs", "navicache")):
        (tmp_path / folder).mkdir()
        kept = [each for each in rows() if each["policy"] in ("none", own)]
        (tmp_path / folder / "rows.jsonl").write_text("".join(json.dumps(each) + "\n" for each in kept))
    assert main(["report", str(tmp_path / "ours"), str(tmp_path / "theirs"), "--summary"]) == 0
    told = capsys.readouterr().out
    assert told.count("+2.0") >= 8, "42 against 40 dB in both cells, at all four budgets"
