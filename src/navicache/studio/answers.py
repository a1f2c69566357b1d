"""What the page answers a visitor, without a page: runs, stops, and the usual values of a model."""

import logging
from collections.abc import Generator, Hashable
from concurrent.futures import CancelledError
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch

from navicache.generation.job import Job
from navicache.generation.loading import locate
from navicache.studio.asked import Asked, plain_key, plain_words
from navicache.studio.kept import Kept
from navicache.studio.offer import Offer, usual_values
from navicache.studio.runs import Run, Runs
from navicache.studio.show import IDLE, STOPPED, live, over, result
from navicache.studio.watch import Stopped

MEMORY = "the device has no memory left for it: fewer frames or a smaller size may do"
STEP = 10.0  # seconds that a step may take until a stop is told all the same
REFUSED = (ValueError, TypeError, OSError, ImportError)
logger = logging.getLogger("navicache")


class Refused(Exception):
    """A run that cannot be; the message is for the visitor."""


class Shown(NamedTuple):
    """What the page shows next; None leaves the result as it is."""

    live: str
    result: str | None
    kept: Kept


@dataclass(frozen=True)
class Answers:
    """All visitors are answered from here; what belongs to one of them comes in and goes out."""

    offer: Offer
    runs: Runs

    def run(self, visitor: Hashable, kept: Kept, *fields: Any) -> Generator[Shown, None, None]:
        """The live view as it grows, and the result in the end; closing it stops the run."""
        try:
            job = Asked(*fields).job(self.offer)
        except REFUSED as error:
            raise Refused(plain_words(str(error))) from error
        run = self.runs.begin(visitor, job, kept.find(plain_key(job)))
        try:
            yield from self._follow(run, job, kept)
        finally:
            self.runs.end(visitor, run)

    def _follow(self, run: Run, job: Job, kept: Kept) -> Generator[Shown, None, None]:
        had = kept.find(plain_key(job)) is not None
        for news in run.follow():
            kept = kept if news.plain is None else kept.having(plain_key(job), news.plain)
            yield Shown(live(news), None, kept)
        try:
            made = run.future.result()
            yield Shown(over(made), result(made, job.fps, had), kept)
        except (Stopped, CancelledError):
            yield Shown(STOPPED, None, kept)
        except Exception as error:
            yield Shown(IDLE, None, kept)
            raise Refused(reason(error)) from error

    def stop(self, visitor: Hashable) -> str:
        """Stop the visitor's own run; told once that is so, and a new one may be asked for."""
        self.runs.stop(visitor, STEP)
        return STOPPED

    def usual(self, model: str | None) -> list[Any]:
        """The usual values of a model that was chosen, if there is one of this name."""
        try:
            source = self.offer.source(model)
            locate(source)
            return usual_values(source)
        except ValueError as error:
            raise Refused(plain_words(str(error))) from error


def reason(error: Exception) -> str:
    """Why a run ended early, in words for a visitor; what nobody foresaw is also logged in full."""
    if isinstance(error, torch.OutOfMemoryError):
        return MEMORY
    if not isinstance(error, REFUSED):
        logger.error("a run of the studio failed", exc_info=error)
    return plain_words(str(error)) or type(error).__name__
