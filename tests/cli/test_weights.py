"""`navicache weights`, which is deprecated: it says what to install, or that it is installed."""

from safetensors.torch import save_file
from tests.support.commands import refused

from navicache.cli import main
from navicache.evaluation.lpips_weights import FILE_NAME


def test_without_weights_it_says_what_to_install(home, capsys):
    message = refused(capsys, "weights", "lpips", "--from", "file.pth")
    assert "the weights of LPIPS are not installed" in message and "pip install ./pocket" in message
    assert not home.exists()


def test_with_weights_it_says_so(home, weights, capsys):
    home.mkdir()
    save_file(weights, home / FILE_NAME)
    assert main(["weights", "lpips"]) == 0
    said = capsys.readouterr()
    assert said.out == "the weights of LPIPS are installed\n" and "deprecated" in said.err
