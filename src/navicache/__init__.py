"""NaviCache: faster video diffusion by not running the transformer where its output can be predicted.

Example:
    cache = navicache.enable(pipe)
    frames = pipe("a boat on the Seine").frames[0]
    print(cache.summary())
    cache.disable()
"""

from typing import TYPE_CHECKING, Any

from navicache import policies
from navicache.models import CallSpec
from navicache.records import RunRecord, StepRecord, Trace
from navicache.version import __version__ as __version__

if TYPE_CHECKING:
    from navicache.integrations import Cache, disable, enable

__all__ = ["Cache", "CallSpec", "RunRecord", "StepRecord", "Trace", "disable", "enable", "policies"]


def __getattr__(name: str) -> Any:
    """Import what needs torch when it is used: seconds that `navicache --help` and other programs do without."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from navicache import integrations

    return getattr(integrations, name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
