"""`navicache report`: one page that carries everything, looked at in a real browser."""

import json
import re
import shutil

import pytest

from navicache.cli import main
from navicache.cli.report.results import read_results
from navicache.cli.report.videos import select_groups_with_videos

PLAN = """
name = "tiny <plan>"
prompts = { source = "file", file = "prompts.txt" }
models = [{ name = "tiny", model = "pocket", fps = 4, call = { num_inference_steps = 8 } }]
conditions = [{ name = "small", call = { num_frames = 13, height = 32, width = 48 } }]
settings = [
    { name = "static", policy = "static", sweep = { interval = [2.0, 3.0] } },
    { name = "N", policy = "navicache", knobs = { align_steps = 3, threshold = 0.9 } },
    { name = "inertial", policy = "inertial", knobs = { align_steps = 3, speedup = 1.6 } },
]
accuracy = { prompts = 1, settings = ["N", "inertial"] }
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory, wan_folder):
    folder = tmp_path_factory.mktemp("bench")
    (folder / "prompts.txt").write_text("a red ball moves left\na blue cat </script><b>\n")
    (folder / "plan.toml").write_text(PLAN.replace('model = "pocket"', f'model = "{wan_folder}"'))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NAVICACHE_HOME", str(folder / "home"))
        assert main(["bench", str(folder / "plan.toml"), "--out", str(folder / "out")]) == 0
        assert main(["report", str(folder / "out")]) == 0
    return folder / "out"


def test_the_page_carries_everything(results):
    page = (results / "report.html").read_text(encoding="utf-8")
    assert not re.search(r'(src|href)="(?!data:|#)', page) and "@import" not in page
    assert page.count("data:video/mp4;base64,") == 2 * 5
    assert "tiny &lt;plan&gt;" in page and "</script><b>" not in page
    for title in ("Quality against speed", "All settings", "Ablations"):
        assert title in page
    assert page.index(">speed-up<") < page.index(">PSNR<", page.index("<h2>All settings")), "the first claim first"
    assert "prefers-color-scheme: dark" in page and "width=device-width" in page
    assert page.count("<svg") >= 3 and "#010203" not in page


def test_videos_beside_the_page(results, tmp_path):
    assert main(["report", str(results), "--videos", "beside", "--title", "T", "--out", str(results / "b.html")]) == 0
    page = (results / "b.html").read_text(encoding="utf-8")
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])
    assert len(data["videos"]) == 10 and all(way.startswith("videos/tiny/small/") for way in data["videos"].values())
    assert "<title>T</title>" in page


def test_vbench_and_several_folders(results, tmp_path, capsys):
    scores = {"tiny/small/n": {"dimensions": {}, "quality": 0.8, "semantic": 0.7, "total": 0.7812}}
    (results / "vbench.json").write_text(json.dumps(scores))
    assert main(["report", str(results), str(results), "--out", str(tmp_path / "p.html")]) == 0
    assert "78.12" in (tmp_path / "p.html").read_text(encoding="utf-8")
    assert "13 runs of 5 settings" in capsys.readouterr().out, "a folder given twice counts once"


def test_a_folder_keeps_its_own_baselines(results, tmp_path, capsys):
    slow = tmp_path / "slow"
    shutil.copytree(results, slow)
    rows = [json.loads(line) for line in (slow / "rows.jsonl").read_text().splitlines()]
    for row in rows:
        row["seconds"] = {name: 100 * value for name, value in row["seconds"].items()}  # a slower machine
    (slow / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    both, one = read_results([results, slow]), read_results([results])
    assert len(both.rows) == 26 and len(both.summaries) == 5
    for a, b in zip(both.summaries, one.summaries, strict=True):
        assert a.mean("speedup") == pytest.approx(b.mean("speedup"))
    assert len(select_groups_with_videos(both.rows, 16)) == 4 and len(select_groups_with_videos(both.rows, 1)) == 1


@pytest.mark.parametrize("which", ["missing", "empty"])
def test_no_results_end_with_advice(which, tmp_path, capsys):
    if which == "empty":
        (tmp_path / "rows.jsonl").write_text("")
    with pytest.raises(SystemExit) as end:
        main(["report", str(tmp_path)])
    assert end.value.code == 2
    assert ("holds no rows.jsonl" if which == "missing" else "no finished job yet") in capsys.readouterr().err


@pytest.fixture
def page(tab, results, monkeypatch):
    """Open, with both players loaded."""
    tab.open(results / "report.html")
    tab.until("left.readyState >= 2 && right.readyState >= 2")
    yield tab
    assert tab.problems == []


@pytest.mark.parametrize(("width", "dark"), [(1200, False), (390, True)])
def test_it_opens_without_errors_and_fits(tab, results, width, dark):
    tab.open(results / "report.html", width, dark)
    tab.until("left.readyState >= 2")
    assert tab.problems == []
    assert tab.value("document.documentElement.scrollWidth") <= width
    background = tab.value("getComputedStyle(document.body).backgroundColor")
    assert (background == "rgb(255, 255, 255)") is not dark
    assert tab.value("document.querySelectorAll('main svg').length") >= 3


def test_players_stay_in_step(page):
    page.value("at('play').click()")
    page.until("left.currentTime > 0.3")
    gaps = page.value(
        "new Promise(done => { const gaps = []; const look = () => { gaps.push(Math.abs(left.currentTime - "
        "right.currentTime)); gaps.length < 40 ? requestAnimationFrame(look) : done(gaps); }; look(); })"
    )
    assert sorted(gaps)[-5] < 0.25, "less than a frame of a quarter second, but for a seek or two"
    page.value("at('play').click()")
    assert page.value("left.paused && right.paused") and page.value("left.currentTime === right.currentTime")
    page.value("scrub.value = 1.5; scrub.dispatchEvent(new Event('input'))")
    page.until("!left.seeking && !right.seeking")
    assert page.value("[left.currentTime, right.currentTime]") == [1.5, 1.5]
    page.value("at('setting').value = 'static interval=3.0'; at('setting').dispatchEvent(new Event('change'))")
    page.until("right.readyState >= 2 && !right.seeking")
    assert page.value("[left.currentTime, right.currentTime]") == [1.5, 1.5], "another setting, the same moment"
    seen = "[...pen.getImageData(0, 0, canvas.width, canvas.height).data].some((v, i) => i % 4 < 3 && v > 0)"
    page.until(f"canvas.width === 48 && {seen}")


def test_tables_sort(page):
    def column(name, index):
        return page.value(
            f"[...document.querySelector('{name}').tBodies[0].rows].map(r => r.cells[{index}].textContent)"
        )

    def click(name, index):
        page.value(f"document.querySelector('{name}').tHead.rows[0].cells[{index}].querySelector('button').click()")

    def known(name, index):
        return [float(text.split()[0]) for text in column(name, index) if not text.startswith("-")]

    headings = page.value("[...document.querySelector('#table table').tHead.rows[0].cells].map(c => c.textContent)")
    table, speed = "#table table", headings.index("speed-up")
    click(table, speed)
    rising = known(table, speed)
    assert len(rising) > 3 and rising == sorted(rising)
    click(table, speed)
    assert known(table, speed) == rising[::-1]
    click(table, 0)
    assert column(table, 0)[0].strip() == "inertial"
    click("#runs", 4)
    assert column("#runs", 4)[-1] == "-", "what is not known comes last"


def test_drill_down_to_the_trace(page):
    page.value("at('prompt').value = 1; at('prompt').dispatchEvent(new Event('change'))")
    page.value("document.querySelector('#runs tr[data-setting=N]').click()")
    assert page.value("at('setting').value") == "N"
    assert page.value("at('trace').querySelectorAll('svg').length") == 2
    assert "computed" in page.value("at('trace').querySelector('pre').textContent")
    assert page.value("document.querySelectorAll('#runs tr[data-setting=N] .strip i').length") == 8


def test_names_that_somebody_else_wrote_are_text(results, tmp_path):
    hostile = "</script><img src=x onerror=alert(1)>"
    shutil.copytree(results, tmp_path / "theirs")
    rows = [json.loads(line) for line in (tmp_path / "theirs" / "rows.jsonl").read_text().splitlines()]
    for row in rows:
        row |= {name: f"{row[name]} {hostile}" for name in ("model", "condition", "setting", "prompt", "series")}
        row["machine"]["name"] = hostile
    (tmp_path / "theirs" / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "theirs" / "plan.toml").write_text(f"name = '{hostile}'")
    assert main(["report", str(tmp_path / "theirs")]) == 0
    page = (tmp_path / "theirs" / "report.html").read_text(encoding="utf-8")
    assert "&lt;img src=x" in page and "<img src=x" not in page
