"""One job from check to result: what `generate` and `demo` share."""

import logging
import platform
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

from navicache.generation.checks import check_metrics, check_output, check_sizes, check_vocabulary
from navicache.generation.job import GenerationJob, check_call_arguments


def run_job(job: GenerationJob) -> Iterator[Any]:
    """A `Result` per prompt, as they come; everything that can be refused is refused before the first."""
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
    """What the picture and the pipeline's index can tell, before any weight is read."""
    from navicache.generation.loading import find_pipeline_class, locate_model, read_model_index
    from navicache.generation.media import open_image

    if "image" in job.arguments:
        open_image(job.arguments["image"])
    kind = find_pipeline_class(read_model_index(locate_model(job.source)))
    if kind is not None:
        check_call_arguments(kind, job.arguments)


def check_loaded_pipeline(pipe: Any, job: GenerationJob) -> None:
    """What only the loaded pipeline can tell."""
    check_call_arguments(type(pipe), job.arguments)
    check_sizes(pipe, job.arguments)
    if job.source.is_embedded:
        from navicache.pocket import unknown

        check_vocabulary((word for text in job.texts for word in unknown(text)), pipe.tokenizer.get_vocab())


def describe_environment(pipe: Any, job: GenerationJob) -> dict[str, Any]:
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
def log_notes_once() -> Generator[None, None, None]:
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
