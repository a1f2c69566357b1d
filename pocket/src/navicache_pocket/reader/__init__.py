"""An automatic reader of the world's videos: says what they show, by rules and without trained weights."""

from navicache_pocket.reader.backgrounds import Backgrounds, learn_backgrounds
from navicache_pocket.reader.crispness import crispness
from navicache_pocket.reader.reading import Reading, Verdict, judge, read
from navicache_pocket.reader.validation import validate

__all__ = ["Backgrounds", "Reading", "Verdict", "crispness", "judge", "learn_backgrounds", "read", "validate"]
