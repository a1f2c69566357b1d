"""The command line, called in this process."""

import pytest

from navicache.cli import main


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """The advice that a command ends with; exit status 2 and no traceback."""
    with pytest.raises(SystemExit) as end:
        main([*map(str, arguments)])
    assert end.value.code == 2
    message = capsys.readouterr().err
    assert "Traceback" not in message
    return message
