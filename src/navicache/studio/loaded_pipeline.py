"""The one pipeline that is loaded; the next model takes its place."""

import gc
from typing import Any

import torch

from navicache.generation.job import ModelSource
from navicache.generation.loading import load_pipeline


class LoadedPipeline:
    """Room for one pipeline. It belongs to the one thread that runs them."""

    def __init__(self) -> None:
        """Empty."""
        self._source: ModelSource | None = None
        self._pipe: Any = None

    def holds(self, source: ModelSource) -> bool:
        """Whether this model needs no loading."""
        return self._source == source

    def take(self, source: ModelSource) -> Any:
        """The pipeline of a model; the one before goes first, for two large ones need not fit."""
        if not self.holds(source):
            self._source = self._pipe = None
            gc.collect()
            if torch.cuda.is_available():
                torch.cuda.empty_cache()
            self._pipe = load_pipeline(source)
            self._source = source
        return self._pipe
