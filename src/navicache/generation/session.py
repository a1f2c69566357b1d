"""Run one job from the checks to its results; shared by `generate` and `demo`."""

import logging
import platform
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from navicache.generation.checks import check_metrics, check_output, check_sizes, check_vocabulary
from navicache.generation.job import GenerationJob, check_call_arguments

if TYPE_CHECKING:
    from navicache.generation.results import PromptResult


def generate_prompt_results(job: GenerationJob) -> Iterator["PromptResult"]:
    """Check everything, load the model, and yield what came of each prompt."""
    job.caching.check()
    check_output(job.out)
    if job.compare:
        check_metrics()
    from navicache.generation.loading import load_pipeline
    from navicache.generation.results import write_result
    from navicache.generation.timed_calls import run_prompt, warm_up

    check_before_loading(job)
    pipe = load_pipeline(job.source)
    check_loaded_pipeline(pipe, job)
    with log_notes_once():
        if job.compare:
            warm_up(pipe, job)
        for number, prompt in enumerate(job.prompts):
            pair = run_prompt(pipe, job, prompt)
            yield write_result(prompt, pair, job.folder(number), job.fps, describe_environment(pipe, job))


def check_before_loading(job: GenerationJob) -> None:
    """Check the image and the call's arguments, before any weights are read."""
    from navicache.generation.index_checks import find_pipeline_class
    from navicache.generation.loading import locate_model, read_model_index
    from navicache.generation.media import open_image

    if "image" in job.arguments:
        open_image(job.arguments["image"])
    kind = find_pipeline_class(read_model_index(locate_model(job.source)))
    if kind is not None:
        check_call_arguments(kind, job.arguments)


def check_loaded_pipeline(pipe: Any, job: GenerationJob) -> None:
    """Check what only the loaded pipeline can tell."""
    check_call_arguments(type(pipe), job.arguments)
    check_sizes(pipe, job.arguments)
    if job.source.is_embedded:
        from navicache.pocket import find_unknown_words

        check_vocabulary((word for text in job.texts for word in find_unknown_words(text)), pipe.tokenizer.get_vocab())


def describe_environment(pipe: Any, job: GenerationJob) -> dict[str, Any]:
    """Model, arguments, machine, versions and dtypes of a run."""
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
def log_notes_once() -> Generator[None, None, None]:
    """Log each note about the model once, although the cache is enabled for every prompt."""
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
