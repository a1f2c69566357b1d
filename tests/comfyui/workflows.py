"""The example workflows, as ComfyUI's page saves them."""

import json
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from tests.comfyui.server import PACKS

FOLDER = PACKS["navicache"] / "example_workflows"
NAMES = sorted(path.stem for path in FOLDER.glob("*.json"))
TITLE_BAR = 30  # pixels above a node's position
PAGE_ONLY = ("MarkdownNote",)  # nodes that the server never hears of


@dataclass(frozen=True)
class Workflow:
    """One file."""

    document: dict[str, Any]

    @property
    def nodes(self) -> dict[int, dict[str, Any]]:
        """Nodes by number."""
        return {node["id"]: node for node in self.document["nodes"]}

    def of(self, kind: str) -> list[dict[str, Any]]:
        """Nodes of a class."""
        return [node for node in self.document["nodes"] if node["type"] == kind]

    def broken_links(self) -> list[list[Any]]:
        """Links whose two ends do not both know of them, or differ in type."""
        nodes = self.nodes
        return [link for link in self.document["links"] if not _holds(link, nodes)]

    def loose_ends(self) -> list[tuple[int, str]]:
        """Inputs that name a link that is not there."""
        links = {link[0] for link in self.document["links"]}
        return [
            (node["id"], slot["name"])
            for node in self.document["nodes"]
            for slot in node["inputs"]
            if slot["link"] is not None and slot["link"] not in links
        ]

    def overlaps(self) -> list[tuple[int, int]]:
        """Pairs of nodes that cover each other, with their title bars."""
        pairs = combinations(self.document["nodes"], 2)
        return [(one["id"], other["id"]) for one, other in pairs if _cover(one, other)]


def read(name: str) -> Workflow:
    """By its name."""
    return Workflow(json.loads((FOLDER / f"{name}.json").read_text()))


def _holds(link: list[Any], nodes: dict[int, dict[str, Any]]) -> bool:
    number, source, outlet, goal, inlet, kind = link
    given, taken = nodes[source]["outputs"][outlet], nodes[goal]["inputs"][inlet]
    return taken["link"] == number and number in given["links"] and given["type"] == kind in taken["type"].split(",")


def _cover(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return all(
        one["pos"][axis] - bar < other["pos"][axis] + other["size"][axis]
        and other["pos"][axis] - bar < one["pos"][axis] + one["size"][axis]
        for axis, bar in ((0, 0), (1, TITLE_BAR))
    )
