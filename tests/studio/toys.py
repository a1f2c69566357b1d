"""A visitor's wishes and news, and a pipeline on the shelf that is already loaded."""

from navicache.studio.asked import Asked
from navicache.studio.offer import Offer
from navicache.studio.shelf import Shelf
from navicache.studio.watch import News, Watch

SMALL = {"steps": 8, "frames": 5, "height": 32, "width": 48}
PROMPT = "a red ball moves left"


class Loaded(Shelf):
    """Has every model: always the same pipeline."""

    def __init__(self, pipe):
        super().__init__()
        self.pipe, self.taken = pipe, 0

    def holds(self, source):
        return True

    def take(self, source):
        self.taken += 1
        return self.pipe


def wish(**changed):
    return Asked(**{"prompt": PROMPT, "model": "pocket", **SMALL, **changed})


def job_of(**changed):
    return wish(**changed).job(Offer())


def listening():
    """A watch, and the list its news end up in."""
    news: list[News] = []
    return Watch(news.append), news
