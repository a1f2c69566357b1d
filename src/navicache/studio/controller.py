"""What the page answers a visitor, without a page: runs, stops, and the usual values of a model."""

import logging
from collections.abc import Generator, Hashable
from concurrent.futures import CancelledError
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch

from navicache.generation.job import GenerationJob
from navicache.generation.loading import locate_model
from navicache.studio.baselines import BaselineStore
from navicache.studio.html import IDLE, STOPPED, done_html, live_html, result_html
from navicache.studio.models import StudioModels, default_values
from navicache.studio.monitor import RunStopped
from navicache.studio.request import StudioRequest, baseline_key, remove_dashes
from navicache.studio.run_queue import RunQueue, VisitorRun

OUT_OF_MEMORY = "the device has no memory left for it: fewer frames or a smaller size may do"
STOP_TIMEOUT = 10.0  # seconds that a step may take until a stop is told all the same
EXPECTED_ERRORS = (ValueError, TypeError, OSError, ImportError)
logger = logging.getLogger("navicache")


class RunRefused(Exception):
    """A run that cannot be; the message is for the visitor."""


class PageUpdate(NamedTuple):
    """What the page shows next; None leaves the result as it is."""

    live: str
    result: str | None
    kept: BaselineStore


@dataclass(frozen=True)
class StudioController:
    """All visitors are answered from here; what belongs to one of them comes in and goes out."""

    offer: StudioModels
    runs: RunQueue

    def run(self, visitor: Hashable, kept: BaselineStore, *fields: Any) -> Generator[PageUpdate, None, None]:
        """The live view as it grows, and the result in the end; closing it stops the run."""
        try:
            job = StudioRequest(*fields).job(self.offer)
        except EXPECTED_ERRORS as error:
            raise RunRefused(remove_dashes(str(error))) from error
        run = self.runs.begin(visitor, job, kept.find(baseline_key(job)))
        try:
            yield from self._follow(run, job, kept)
        finally:
            self.runs.end(visitor, run)

    def _follow(self, run: VisitorRun, job: GenerationJob, kept: BaselineStore) -> Generator[PageUpdate, None, None]:
        had = kept.find(baseline_key(job)) is not None
        for news in run.follow():
            kept = kept if news.plain is None else kept.add(baseline_key(job), news.plain)
            yield PageUpdate(live_html(news), None, kept)
        try:
            made = run.future.result()
            yield PageUpdate(done_html(made), result_html(made, job.fps, had), kept)
        except (RunStopped, CancelledError):
            yield PageUpdate(STOPPED, None, kept)
        except Exception as error:
            yield PageUpdate(IDLE, None, kept)
            raise RunRefused(explain_error(error)) from error

    def stop(self, visitor: Hashable) -> str:
        """Stop the visitor's own run; told once that is so, and a new one may be asked for."""
        self.runs.stop(visitor, STOP_TIMEOUT)
        return STOPPED

    def usual(self, model: str | None) -> list[Any]:
        """The usual values of a model that was chosen, if there is one of this name."""
        try:
            source = self.offer.source(model)
            locate_model(source)
            return default_values(source)
        except ValueError as error:
            raise RunRefused(remove_dashes(str(error))) from error


def explain_error(error: Exception) -> str:
    """Why a run ended early, in words for a visitor; what nobody foresaw is also logged in full."""
    if isinstance(error, torch.OutOfMemoryError):
        return OUT_OF_MEMORY
    if not isinstance(error, EXPECTED_ERRORS):
        logger.error("a run of the studio failed", exc_info=error)
    return remove_dashes(str(error)) or type(error).__name__
