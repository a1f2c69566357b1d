"""`navicache demo` leaves what it promises, and wrong options are answered with advice."""

import re

import av
import pytest

from navicache import Trace, __version__
from navicache.cli import main


def test_demo_writes_videos_trace_plot_and_page(tmp_path, capsys):
    # More steps than alignment needs, and a threshold at which some of them are reused.
    assert main(["demo", "--steps", "16", "--threshold", "0.3", "--out", str(tmp_path / "new" / "folder")]) == 0
    folder = tmp_path / "new" / "folder"
    (run,) = Trace.load(folder / "trace.json").runs
    assert run.length == run.total == 16
    assert 10 < run.computed < 16
    for name in ("plain.mp4", "cached.mp4"):
        with av.open(str(folder / name)) as video:
            assert len(list(video.decode(video=0))) == 17
    page = (folder / "index.html").read_text()
    assert page.count("<video") == 2
    assert f"<td>{run.computed}</td>" in page
    assert not re.search(r'(src|href)="(?!data:)', page), "the page needs nothing beside itself"
    printed = capsys.readouterr().out
    assert f"computed {run.computed} of 16 steps" in printed
    assert str(folder / "index.html") in printed
    assert not [path for path in folder.iterdir() if path.suffix == ".tmp"]


@pytest.mark.parametrize(
    ("options", "advice"),
    [(["--policy", "nonsense"], "known: navicache, easycache"), (["--threshold", "-1"], "zero or more")],
)
def test_wrong_options_end_with_advice(options, advice, tmp_path, capsys):
    with pytest.raises(SystemExit) as end:
        main(["demo", "--steps", "2", "--out", str(tmp_path), *options])
    assert end.value.code == 2
    assert advice in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_version(capsys):
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    assert end.value.code == 0
    assert __version__ in capsys.readouterr().out
