"""A visitor's wishes and news, and a pipeline on the pipeline that is already loaded."""

from navicache.studio.loaded_pipeline import LoadedPipeline
from navicache.studio.models import StudioModels
from navicache.studio.monitor import RunMonitor, RunProgress
from navicache.studio.request import StudioRequest

SMALL = {"steps": 8, "frames": 5, "height": 32, "width": 48}
PROMPT = "a red ball moves left"


class Loaded(LoadedPipeline):
    """Has every model: always the same pipeline."""

    def __init__(self, pipe):
        super().__init__()
        self.pipe, self.taken = pipe, 0

    def holds(self, source):
        return True

    def load(self, source):
        self.taken += 1
        return self.pipe


def wish(**changed):
    return StudioRequest(**{"prompt": PROMPT, "model": "pocket", **SMALL, **changed})


def job_of(**changed):
    return wish(**changed).to_job(StudioModels())


def listening():
    """A monitor, and the list its news end up in."""
    news: list[RunProgress] = []
    return RunMonitor(news.append), news
