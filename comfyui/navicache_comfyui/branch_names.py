"""Name the guidance branch of a call after its conditionings."""

from collections import Counter
from collections.abc import Hashable, Mapping
from typing import Any

CONDITIONING_ROLES = {0: "cond", 1: "uncond"}  # as ComfyUI numbers them


class BranchNames:
    """The names of all guidance branches of a run."""

    def __init__(self) -> None:
        """Start without names."""
        # By role and uuid: a negative that ComfyUI fits to a positive's area has the positive's uuid.
        self._labels: dict[tuple[int, object], str] = {}
        self._call_counts: Counter[tuple[Hashable, str]] = Counter()

    def start_evaluation(self) -> None:
        """Reset the call counts: a new evaluation starts."""
        self._call_counts.clear()

    def name_call(self, shape: Hashable, transformer_options: Mapping[str, Any]) -> str:
        """Name the branch of a call; a repeated call in one evaluation gets a new name.

        Example:
            >>> names, options = BranchNames(), {"cond_or_uncond": [1, 0], "uuids": ["a", "b"]}
            >>> names.name_call((4,), options), names.name_call((4,), options)
            ('uncond+cond', 'uncond+cond#2')
        """
        pairs = zip(transformer_options["cond_or_uncond"], transformer_options["uuids"], strict=True)
        branch = "+".join(self._label_conditioning(role, uuid) for role, uuid in pairs)
        if window := read_window(transformer_options):
            branch += f" of frames {window[0]}-{window[-1]}"
        self._call_counts[shape, branch] += 1
        times = self._call_counts[shape, branch]
        return branch if times == 1 else f"{branch}#{times}"

    def _label_conditioning(self, role: int, uuid: object) -> str:
        if (role, uuid) not in self._labels:
            name, others = CONDITIONING_ROLES.get(role, str(role)), sum(role == other for other, _ in self._labels)
            self._labels[role, uuid] = f"{name} {others + 1}" if others else name
        return self._labels[role, uuid]


def read_window(transformer_options: Mapping[str, Any]) -> tuple[int, ...]:
    """The frames of a call under context windows; empty without."""
    window = transformer_options.get("context_window")
    return () if window is None else tuple(window.index_list)
