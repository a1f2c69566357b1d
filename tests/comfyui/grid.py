"""The grid that the pack is judged by: 3570 cells, in an order in which every part of it is balanced.

A round has every sampler with every spacing once. Three rounds have each of them with every number of steps and with
every guidance, nine with all pairs of the two; prompts take turns, and twelve times nine rounds have every cell.
Prompts 0 and 1 at 12 steps are what the schedules of samplers with several evaluations per step were tuned at, so they
are no part of it: at 12 steps two of each setting's prompts come twice.
"""

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from tests.comfyui.rows import Setting

SAMPLERS = ("euler", "dpmpp_2m", "res_multistep", "uni_pc", "heun", "heunpp2", "dpm_2")
SPACINGS = ("simple", "karras", "beta", "sgm_uniform", "exponential")
STEPS, GUIDANCES = (12, 20, 30), (4.0, 1.0, 7.0)
PROMPTS, TUNED_STEPS, TUNED_PROMPTS = 12, 12, 2
ROUNDS = 9  # with another prompt for every setting; PROMPTS times as many have all


class Cell(NamedTuple):
    """One sampler at one setting, with one prompt."""

    steps: int
    setting: Setting
    prompt: int


def cells(round_number: int) -> Iterator[Cell]:
    """The cells of a round; beyond nine the settings repeat, with other prompts.

    Example:
        >>> found = list(cells(0))
        >>> len(found), found[0].steps, found[0].setting.label, found[0].prompt
        (35, 12, 'euler-simple-4', 2)
    """
    for (column, spacing), (row, sampler) in product(enumerate(SPACINGS), enumerate(SAMPLERS)):
        steps = STEPS[(row + column + round_number) % len(STEPS)]
        cfg = GUIDANCES[(2 * (row + column) + round_number + round_number // 3) % len(GUIDANCES)]
        turn = row + 3 * column + 5 * (round_number % ROUNDS) + round_number // ROUNDS
        yield Cell(steps, Setting(sampler, spacing, cfg), _choose_prompt(steps, turn))


def _choose_prompt(steps: int, turn: int) -> int:
    first = TUNED_PROMPTS if steps == TUNED_STEPS else 0
    return first + turn % (PROMPTS - first)
