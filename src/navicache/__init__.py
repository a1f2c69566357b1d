"""NaviCache: faster video diffusion by not running the transformer where its output can be predicted.

Example:
    cache = navicache.enable(pipe)
    frames = pipe("a boat on the Seine").frames[0]
    print(cache.summary())
    cache.disable()
"""

from navicache import policies
from navicache.integrations import Cache, disable, enable
from navicache.models import CallSpec
from navicache.records import RunRecord, StepRecord, Trace
from navicache.version import __version__ as __version__

__all__ = ["Cache", "CallSpec", "RunRecord", "StepRecord", "Trace", "disable", "enable", "policies"]
