"""The weights of LPIPS, from published or local files into one file of our own."""

from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from torch import Tensor

from navicache.evaluation.lpips_weights import fetch
from navicache.evaluation.lpips_weights.file import COMMAND, PARTS, Part, WeightsError, load, save
from navicache.evaluation.lpips_weights.readers import read

Say = Callable[[str], None]


def install(path: Path, files: Sequence[Path] = (), say: Say = print) -> None:
    """Write the weights to `path`, out of `files` if there are any, else fetched; the old file stands till then.

    What is there already and whole is left alone.
    """
    if not files and _whole(path):
        say(f"already there: {path}")
        return
    save(_gathered(files) if files else _fetched(say), path)
    say(f"written: {path}")


def _whole(path: Path) -> bool:
    try:
        load(path)
    except WeightsError:
        return False
    return True


def _gathered(files: Sequence[Path]) -> dict[str, Tensor]:
    found = {name: tensor for file in files for name, tensor in read(file).items()}
    for part in PARTS:
        if not set(part.tensors) & set(found):
            raise WeightsError(
                f"no {part.name} in {', '.join(file.name for file in files)}: give a file that has them as well "
                f"(one of: {', '.join(source.name for source in SOURCES[part.name])}), or let `{COMMAND}` fetch all"
            )
    return found


def _fetched(say: Say) -> dict[str, Tensor]:
    return {name: tensor for part in PARTS for name, tensor in _first(part, say).items()}


def _first(part: Part, say: Say) -> dict[str, Tensor]:
    reasons = []
    for source in SOURCES[part.name]:
        say(f"{part.name}: {source.name}")
        try:
            with TemporaryDirectory() as folder:
                return part.take(read(source.fetch(Path(folder))))
        except WeightsError as error:
            reasons.append(str(error))
            say(f"  {error}")
    raise WeightsError(
        f"the {part.name} could not be fetched; nothing was written. Where there is a network, run "
        f"`{COMMAND} --out FOLDER`, and here `{COMMAND} --from FILE` with the file it leaves. Tried:\n"
        + "\n".join(f"  {reason}" for reason in reasons)
    )


SOURCES = {"convolutions": fetch.CONVOLUTIONS, "heads": fetch.HEADS}
