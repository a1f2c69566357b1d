"""The one pipeline that is loaded; another model replaces it."""

import gc
from typing import Any

import torch

from navicache.generation.job import ModelSource
from navicache.generation.loading import load_pipeline


class LoadedPipeline:
    """Holds one pipeline; used by the one thread that runs pipelines."""

    def __init__(self) -> None:
        """Start without a pipeline."""
        self._source: ModelSource | None = None
        self._pipe: Any = None

    def holds(self, source: ModelSource) -> bool:
        """Whether this model is loaded."""
        return self._source == source

    def load(self, source: ModelSource) -> Any:
        """The pipeline of a model; the previous one is freed first, since two may not fit."""
        if not self.holds(source):
            self.free()
            self._pipe = load_pipeline(source)
            self._source = source
        return self._pipe

    def free(self) -> None:
        """Let go of the pipeline and its memory."""
        self._source = self._pipe = None
        gc.collect()
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
