"""A search behind the page's button: its options, its progress, its stop, and the settings file it leaves."""

import threading

import pytest
from tests.studio.toys import job_of

from navicache.cli.tune.for_studio import SearchTeller, tune_for_studio
from navicache.evaluation.tuning.scores import RunScore, Scoreboard
from navicache.studio.controller import RunRefused, StudioController
from navicache.studio.models import StudioModels
from navicache.studio.run_queue import RunQueue
from navicache.studio.tuning import TuneFound, TuneProgress, TuneRequest, find_settings
from navicache.studio.tuning_html import tuned_html, tuning_html

PROMPTS = "a red ball\n\n a blue cat\na green tree\na small house\n"


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def found(tmp_path):
    files = [tmp_path / name for name in ("settings.json", "report.html")]
    for file in files:
        file.write_text("{}")
    return TuneFound(
        "chosen: even gaps 6",
        (("2.00x", "fewer computed steps"),),
        ("candidate  <PSNR>",),
        ("not possible: <l2p>",),
        *files,
    )


def value_of(options, name):
    return options[options.index(name) + 1]


def test_the_options_are_those_of_the_command():
    asked = TuneRequest("pocket:unet", "speed-up", 2.5, "", 10, 3, 20, 7.5)
    options = asked.prepare(StudioModels())
    for name, value in {"--speedup": "2.5", "--minutes": "10", "--seed": "3", "--steps": "20"}.items():
        assert value_of(options, name) == value
    assert "--frames" not in options and "--prompts" not in options
    assert value_of(TuneRequest("pocket:unet", "high").prepare(StudioModels()), "--level") == "high"


def test_the_same_search_has_the_same_folder_and_another_has_another(here):
    def folder(**changed):
        return value_of(TuneRequest("pocket:unet", **changed).prepare(StudioModels()), "--out")

    assert folder() == folder(speedup=3.0) == folder(minutes=5), "another target shares the runs without a cache"
    assert len({folder(), folder(steps=20), folder(seed=1), folder(prompts=PROMPTS)}) == 4


def test_prompts_are_written_where_the_options_say(here):
    asked = TuneRequest("owner/name", prompts=PROMPTS)
    options = asked.prepare(StudioModels())
    assert (here / value_of(options, "--prompts")).read_text().splitlines() == [
        "a red ball",
        "a blue cat",
        "a green tree",
        "a small house",
    ]


@pytest.mark.parametrize(
    ("changed", "locked", "said"),
    [
        ({}, True, "this studio is locked"),
        ({"model": "owner/name"}, False, "give 4 prompts or more"),
        ({"prompts": "a ball"}, False, "give 4 prompts or more"),
        ({"goal": "nice"}, False, "goal must be one of"),
        ({"speedup": None}, False, "none is given"),
        ({"steps": 0}, False, "steps must be a whole number"),
        ({"frames": 1000, "height": 4000, "width": 4000}, False, "268,435,456 are the most here"),
    ],
)
def test_what_cannot_be_searched_for_is_refused(changed, locked, said):
    with pytest.raises(ValueError, match=said):
        TuneRequest(**{"model": "pocket:unet", **changed}).prepare(StudioModels(locked=locked))


def test_a_search_is_followed_and_its_file_becomes_the_target(here, found):
    def tuner(options, tell):
        tell(TuneProgress("even gaps 6", 3.5, 40, 6.0, 60.0, (("even <gaps> 6", "2.00x", "PSNR 31.00"),)))
        return found

    *shown, last = StudioController(StudioModels(), RunQueue(), tuner).tune("a", "pocket:unet")
    assert any("3.5 of at most 40 runs" in each.live and "about 1 min 0 s left" in each.live for each in shown)
    assert any("even &lt;gaps&gt; 6" in each.live for each in shown)
    assert last.settings == str(found.settings) and "press Run" in last.live
    assert f"settings=&quot;{found.settings}&quot;" in last.result and "&lt;PSNR&gt;" in last.result
    assert last.result.count('class="nv-save"') == 2 and "not possible: &lt;l2p&gt;</p>" in last.result


def test_a_stop_ends_a_search_and_the_next_goes_on(here):
    told, go = threading.Event(), threading.Event()

    def tuner(options, tell):
        tell(TuneProgress("default 6"))
        told.set()
        go.wait(20)
        tell(TuneProgress("even gaps 6"))
        raise AssertionError("not stopped")

    controller = StudioController(StudioModels(), RunQueue(), tuner)
    answer = controller.tune("a", "pocket:unet")
    next(answer)
    assert told.wait(20)
    threading.Timer(0.1, go.set).start()
    assert "goes on from there" in controller.stop("a")
    *_, last = answer
    assert "What was measured is kept" in last.live and last.result is None


def test_a_search_and_a_run_never_share_the_machine(here, monkeypatch):
    order, go = [], threading.Event()

    def work(name):
        order.append(f"{name} begins")
        go.wait(20)
        order.append(f"{name} ends")

    monkeypatch.setattr("navicache.studio.run_queue.run_request", lambda *_: work("run"))
    runs = RunQueue()
    begun = [runs.begin_search("a", lambda tell: work("search")), runs.begin("b", job_of())]
    threading.Timer(0.3, go.set).start()  # time enough for the other to begin
    for run in begun:
        run.future.result(20)
    assert order == ["search begins", "search ends", "run begins", "run ends"]


def test_a_search_that_fails_says_why(here):
    def tuner(options, tell):
        raise ValueError("--prompts is too short <b>")

    answer = StudioController(StudioModels(), RunQueue(), tuner).tune("a", "pocket:unet")
    with pytest.raises(RunRefused, match=r"^prompts is too short"):
        for shown in answer:
            last = shown
    assert "nv-refused" in last.live and "&lt;b&gt;" in last.live
    with pytest.raises(RunRefused, match="does not tune"):
        list(StudioController(StudioModels(), RunQueue()).tune("a", "pocket:unet"))


def test_the_newest_settings_file_of_a_model_is_found(here):
    assert find_settings("pocket:unet") == ""
    folder = here / "outputs" / "studio" / "pocket-unet-01234567"
    folder.mkdir(parents=True)
    (folder / "settings.json").write_text("{}")
    assert find_settings("pocket:unet").endswith("pocket-unet-01234567/settings.json") and find_settings("pocket") == ""
    values = StudioController(StudioModels(locked=True), RunQueue()).first_values("pocket:unet")
    assert values[-1] == "", "a locked studio names no file"


class Runner:
    """What a teller reads of a search."""

    def __init__(self, cost, **runs):
        self.cost, self.board = cost, Scoreboard()
        for name, score in runs.items():
            self.board.add_run(name, 0, RunScore({"psnr": score}, 6, 12))


def test_the_time_left_counts_only_what_this_search_has_run(monkeypatch):
    heard = []
    teller = SearchTeller(heard.append, most=40, began=100.0)
    monkeypatch.setattr("navicache.cli.tune.for_studio.time.monotonic", lambda: 120.0)
    teller(Runner(20.0), None)
    assert heard[-1].seconds_left is None and heard[-1].doing == "loading"
    teller(Runner(25.0, even=30.0, start=31.0), {"setting": "start"})
    assert heard[-1].seconds_left == 60.0 and heard[-1].seconds == 20.0
    assert heard[-1].best == (("start", "2.00x", "PSNR 31.00"), ("even", "2.00x", "PSNR 30.00"))
    SearchTeller(heard.append, 40, minutes=1, began=100.0, first_cost=20.0)(Runner(25.0), {"setting": "even"})
    assert heard[-1].seconds_left == 40.0, "the minutes end it earlier"


def test_options_that_no_parser_takes_do_not_end_the_process(here):
    with pytest.raises(ValueError, match="steps"):
        tune_for_studio(["--model", "pocket:unet", "--steps", "many"], lambda progress: None)


def test_the_markup_of_a_search_is_no_markup_of_a_candidate(found):
    assert "&lt;b&gt;" in tuning_html(TuneProgress("<b>")) and "runs" not in tuning_html(TuneProgress("<b>"))
    assert 'data-name="settings.json"' in tuned_html(found) and 'data-name="report.html"' in tuned_html(found)
