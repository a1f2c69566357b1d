"""An automatic reader of the world's videos: says what they show, by rules and without trained weights."""

from navicache_pocket.reader.backgrounds import BackgroundClassifier, fit_background_classifier
from navicache_pocket.reader.crispness import measure_crispness
from navicache_pocket.reader.reading import ReadingVerdict, VideoReading, judge_reading, read_videos
from navicache_pocket.reader.validation import validate_reader

__all__ = [
    "BackgroundClassifier",
    "ReadingVerdict",
    "VideoReading",
    "fit_background_classifier",
    "judge_reading",
    "measure_crispness",
    "read_videos",
    "validate_reader",
]
