"""Answers the visitors of the page: runs, stops, and default values of models. It needs no Gradio."""

import functools
import logging
from collections.abc import Generator, Hashable
from concurrent.futures import CancelledError
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from navicache.generation.job import GenerationJob
from navicache.generation.loading import locate_model
from navicache.generation.memory_errors import is_out_of_memory
from navicache.studio.baselines import BaselineStore, RecentTakes
from navicache.studio.html import result_html
from navicache.studio.live import STOPPED, done_html, live_html, refused_html
from navicache.studio.models import StudioModels, default_values
from navicache.studio.monitor import RunStopped
from navicache.studio.request import StudioRequest, baseline_key, remove_dashes
from navicache.studio.run_queue import RunQueue, VisitorRun
from navicache.studio.tuning import Tuner, TuneRequest, find_settings
from navicache.studio.tuning_html import STOPPED as SEARCH_STOPPED
from navicache.studio.tuning_html import tuned_html, tuned_line_html, tuning_html

OUT_OF_MEMORY = "the device has no memory left for it: fewer frames or a smaller size may do"
STOP_TIMEOUT = 10.0  # seconds to wait for the current step before a stop is reported
EXPECTED_ERRORS = (ValueError, TypeError, OSError, ImportError)
logger = logging.getLogger("navicache")


class RunRefused(Exception):
    """A run that is not possible; the message is for the visitor."""


class PageUpdate(NamedTuple):
    """What the page shows next; a result of None leaves the shown one."""

    live: str
    result: str | None
    kept: BaselineStore


class TuneUpdate(NamedTuple):
    """What the page shows next of a search; None leaves what is shown."""

    live: str
    result: str | None = None
    settings: str | None = None


@dataclass(frozen=True)
class StudioController:
    """Answers all visitors; which of the recent outputs are a visitor's is for the page to keep."""

    models: StudioModels
    runs: RunQueue
    tuner: Tuner | None = None  # None: this page has no search
    recent: RecentTakes = field(default_factory=RecentTakes)

    def run(self, visitor: Hashable, kept: BaselineStore, *fields: Any) -> Generator[PageUpdate, None, None]:
        """Yield the live view while the run goes on, then the result; closing the generator stops the run."""
        try:
            job = StudioRequest(*fields).to_job(self.models)
        except EXPECTED_ERRORS as error:
            reason = remove_dashes(str(error))
            yield PageUpdate(refused_html(reason), None, kept)
            raise RunRefused(reason) from error
        limits = self.models.limits_of(job.source)
        run = self.runs.begin(visitor, job, kept.find(baseline_key(job)), limits.minutes)
        try:
            yield from self._follow(run, job, kept)
        finally:
            self.runs.end(visitor, run)

    def _follow(self, run: VisitorRun, job: GenerationJob, kept: BaselineStore) -> Generator[PageUpdate, None, None]:
        had = kept.find(baseline_key(job)) is not None
        for news in run.follow():
            if news.plain is not None:
                self.recent.keep(news.plain)
                kept = kept.add(baseline_key(job), news.plain)
            yield PageUpdate(live_html(news), None, kept)
        try:
            made = run.future.result()
            yield PageUpdate(done_html(made), result_html(made, job, had), kept)
        except (RunStopped, CancelledError):
            yield PageUpdate(STOPPED, None, kept)
        except Exception as error:
            reason = explain_error(error)
            yield PageUpdate(refused_html(reason), None, kept)
            raise RunRefused(reason) from error

    def tune(self, visitor: Hashable, *fields: Any) -> Generator[TuneUpdate, None, None]:
        """Yield the progress of a search, then what it found; closing the generator stops it."""
        try:
            if self.tuner is None:
                raise ValueError("this studio does not tune: run `navicache tune`")
            options = TuneRequest(*fields).prepare(self.models)
        except EXPECTED_ERRORS as error:
            reason = remove_dashes(str(error))
            yield TuneUpdate(refused_html(reason))
            raise RunRefused(reason) from error
        run = self.runs.begin_search(visitor, functools.partial(self.tuner, options))
        try:
            yield from self._follow_search(run)
        finally:
            self.runs.end(visitor, run)

    def _follow_search(self, run: VisitorRun) -> Generator[TuneUpdate, None, None]:
        for news in run.follow():
            yield TuneUpdate(tuning_html(news))
        try:
            found = run.future.result()
            yield TuneUpdate(tuned_line_html(found), tuned_html(found), str(found.settings))
        except (RunStopped, CancelledError):
            yield TuneUpdate(SEARCH_STOPPED)
        except Exception as error:
            reason = explain_error(error)
            yield TuneUpdate(refused_html(reason))
            raise RunRefused(reason) from error

    def stop(self, visitor: Hashable) -> str:
        """Stop the visitor's run, and return once it has stopped; a search ends after the run under way."""
        stopped = self.runs.stop(visitor, STOP_TIMEOUT)
        return SEARCH_STOPPED if stopped is not None and stopped.is_search else STOPPED

    def first_values(self, model: str | None) -> list[Any]:
        """The default values of a model, and the settings file that a search has left for it."""
        try:
            source = self.models.get_allowed_source(model)
            locate_model(source)
        except ValueError as error:
            raise RunRefused(remove_dashes(str(error))) from error
        return [*default_values(source), "" if self.models.locked else find_settings(model)]


def explain_error(error: Exception) -> str:
    """Why a run failed, in words for a visitor; unexpected errors are also logged."""
    if is_out_of_memory(error):
        return OUT_OF_MEMORY
    if not isinstance(error, EXPECTED_ERRORS):
        logger.error("a run of the studio failed", exc_info=error)
    return remove_dashes(str(error)) or type(error).__name__
