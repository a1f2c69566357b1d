"""What a call is called: by the conditionings that ComfyUI has put into it."""

from collections import Counter
from collections.abc import Hashable, Mapping
from typing import Any

ROLES = {0: "cond", 1: "uncond"}  # as ComfyUI numbers them


class Names:
    """The names of all streams of a run."""

    def __init__(self) -> None:
        """Nothing has been called."""
        # By role and uuid: a negative made to fit a positive's area has the positive's uuid.
        self._labels: dict[tuple[int, object], str] = {}
        self._called: Counter[tuple[Hashable, str]] = Counter()

    def begin(self) -> None:
        """From here on calls are first calls again: a step has begun, or its evaluation once more."""
        self._called.clear()

    def of(self, shape: Hashable, options: Mapping[str, Any]) -> str:
        """The stream of a call; one that is called again is another.

        Example:
            >>> names, options = Names(), {"cond_or_uncond": [1, 0], "uuids": ["a", "b"]}
            >>> names.of((4,), options), names.of((4,), options)
            ('uncond+cond', 'uncond+cond#2')
        """
        pairs = zip(options["cond_or_uncond"], options["uuids"], strict=True)
        stream = "+".join(self._label(role, uuid) for role, uuid in pairs)
        self._called[shape, stream] += 1
        times = self._called[shape, stream]
        return stream if times == 1 else f"{stream}#{times}"

    def _label(self, role: int, uuid: object) -> str:
        if (role, uuid) not in self._labels:
            name, others = ROLES.get(role, str(role)), sum(role == other for other, _ in self._labels)
            self._labels[role, uuid] = f"{name} {others + 1}" if others else name
        return self._labels[role, uuid]
