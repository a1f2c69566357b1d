"""One job from check to result: what `generate` and `demo` share."""

import logging
import platform
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

from navicache.generation.checks import check_metrics, check_output, check_sizes, check_words
from navicache.generation.job import Job, check_call


def carry_out(job: Job) -> Iterator[Any]:
    """A `Result` per prompt, as they come; everything that can be refused is refused before the first."""
    job.caching.check()
    check_output(job.out)
    if job.compare:
        check_metrics()
    from navicache.generation.calls import generate, warm_up
    from navicache.generation.loading import load
    from navicache.generation.results import write

    check_early(job)
    pipe = load(job.source)
    check(pipe, job)
    with each_note_once():
        if job.compare:
            warm_up(pipe, job)
        for number, prompt in enumerate(job.prompts):
            pair = generate(pipe, job, prompt)
            yield write(prompt, pair, job.folder(number), job.fps, about(pipe, job))


def check_early(job: Job) -> None:
    """What the picture and the pipeline's index can tell, before any weight is read."""
    from navicache.generation.loading import known_class, locate, read_index
    from navicache.generation.media import open_picture

    if "image" in job.arguments:
        open_picture(job.arguments["image"])
    kind = known_class(read_index(locate(job.source)))
    if kind is not None:
        check_call(kind, job.arguments)


def check(pipe: Any, job: Job) -> None:
    """What only the loaded pipeline can tell."""
    check_call(type(pipe), job.arguments)
    check_sizes(pipe, job.arguments)
    if job.source.pocket:
        from navicache.pocket import find_unknown_words

        check_words((word for text in job.texts for word in find_unknown_words(text)), pipe.tokenizer.get_vocab())


def about(pipe: Any, job: Job) -> dict[str, Any]:
    """What the figures were measured on."""
    import torch

    device = pipe._execution_device
    machine = torch.cuda.get_device_name(device) if device.type == "cuda" else platform.machine()
    parts = {name: str(part.dtype) for name, part in pipe.components.items() if isinstance(part, torch.nn.Module)}
    return {
        "model": job.source.model,
        "arguments": dict(job.arguments),
        "shift": job.source.shift,
        "seed": job.seed,
        "machine": {"device": str(device), "name": machine, "threads": torch.get_num_threads()},
        "versions": {"torch": torch.__version__, "python": platform.python_version()},
        "dtypes": parts,
    }


@contextmanager
def each_note_once() -> Generator[None, None, None]:
    """The cache is enabled anew for every prompt; what it has to say about the model is said once."""
    seen: set[str] = set()

    def first(record: logging.LogRecord) -> bool:
        message = record.getMessage()
        return message not in seen and not seen.add(message)

    logger = logging.getLogger("navicache")
    logger.addFilter(first)
    try:
        yield
    finally:
        logger.removeFilter(first)
