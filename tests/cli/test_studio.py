"""`navicache studio` before its page opens."""

import pytest

from navicache.cli import main
from navicache.cli import studio as command

ANYBODY = "warning: whoever reaches 0.0.0.0 may load any folder or hub id on this machine"


@pytest.fixture
def opened(monkeypatch):
    """What the page is opened with; no Gradio is needed."""
    seen = []
    monkeypatch.setattr(command.importlib.util, "find_spec", lambda name, *_: name)
    monkeypatch.setattr("navicache.studio.page.open_page", lambda models, _, **where: seen.append((models, where)))
    return seen


@pytest.mark.parametrize(
    ("options", "warned"),
    [
        ([], False),
        (["--host", "localhost"], False),
        (["--host", "0.0.0.0"], True),
        (["--host", "0.0.0.0", "--locked"], False),
    ],
    ids=str,
)
def test_an_address_that_others_reach_is_warned_of_unless_it_is_locked(opened, capsys, options, warned):
    assert main(["studio", *options]) == 0
    assert (ANYBODY in capsys.readouterr().err) == warned


def test_the_longest_run_is_an_option(opened):
    main(["studio", "--minutes", "30"])
    ((models, _),) = opened
    assert models.limits_of(models.default).minutes == 30


@pytest.mark.parametrize(("host", "asked"), [("::1", "[::1]"), ("[::1]", "[::1]"), ("127.0.0.1", "127.0.0.1")])
def test_an_ipv6_address_has_brackets(opened, capsys, host, asked):
    """Gradio reads the part behind its first colon as a port."""
    assert main(["studio", "--host", host]) == 0
    assert opened[0][1]["server_name"] == asked and "warning" not in capsys.readouterr().err


@pytest.mark.parametrize("port", ["0", "-1", "65536"])
def test_a_port_that_no_machine_has_is_refused(opened, capsys, port):
    with pytest.raises(SystemExit):
        main(["studio", "--port", port])
    assert "--port must be from 1 to 65535" in capsys.readouterr().err and not opened
