# Copyright 2026 The HuggingFace Team. All rights reserved.
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.

from abc import ABC, abstractmethod

import torch


class CacheConfig(ABC):
    r"""
    Base class for the config of a caching technique that is implemented outside of Diffusers.

    [`~CacheMixin.enable_cache`] accepts an instance of a subclass like any other config. The config knows how its
    technique is put on a transformer and how it is taken off again. Techniques that keep state per denoising call
    should do so in a stateful [`ModelHook`], so that `cache_context` and the end of a pipeline reach it.
    """

    @abstractmethod
    def apply(self, module: torch.nn.Module) -> None:
        r"""
        Put the technique on a transformer. If this raises, no cache counts as enabled.

        Args:
            module (`torch.nn.Module`):
                The transformer whose `enable_cache` was called.
        """

    @abstractmethod
    def remove(self, module: torch.nn.Module) -> None:
        r"""
        Take the technique off and leave the transformer as it was before `apply`.

        Args:
            module (`torch.nn.Module`):
                The transformer whose `disable_cache` was called.
        """
