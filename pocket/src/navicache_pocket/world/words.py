"""The words of the world, and the combinations that are held out of training.

Hues are far apart and strong, backgrounds are pale or dark: an object can be found in a video by its saturation alone.
"""

from itertools import product

COLOURS = {
    "red": (0.91, 0.14, 0.14),
    "orange": (0.98, 0.50, 0.06),
    "yellow": (0.97, 0.87, 0.13),
    "green": (0.14, 0.72, 0.22),
    "cyan": (0.12, 0.80, 0.84),
    "blue": (0.14, 0.30, 0.92),
    "purple": (0.54, 0.17, 0.84),
    "pink": (0.96, 0.27, 0.66),
}
SHAPES = ("ball", "cube", "triangle", "star", "ring", "cross")
TEXTURES = ("plain", "striped", "dotted")
SIZES = {"small": 0.22, "large": 0.36}  # radius, where half the picture's width is 1
DIRECTIONS = {"moving left": (-1, 0), "moving right": (1, 0), "rising": (0, -1), "falling": (0, 1)}
MOTIONS = (*DIRECTIONS, "bouncing", "circling", "spinning", "growing", "shrinking", "standing still")
BACKGROUNDS = ("a blue sky", "a sunset", "a night sky", "a checkered floor", "green hills", "a striped wall")
CAMERAS = ("still", "panning", "zooming in")

ObjectLook = tuple[int, int, int]  # colour, shape, motion

# Each shape misses one colour and one motion in training; every colour and motion is seen with other shapes.
UNSEEN_COLOURS = {
    "ball": "purple",
    "cube": "yellow",
    "triangle": "blue",
    "star": "green",
    "ring": "red",
    "cross": "pink",
}
UNSEEN_MOTIONS = {
    "ball": "falling",
    "cube": "moving right",
    "triangle": "rising",
    "star": "moving left",
    "ring": "circling",
    "cross": "bouncing",
}


def is_unseen(colour: str, shape: str, motion: str) -> bool:
    """Whether training never shows an object of this kind.

    Example:
        >>> is_unseen("purple", "ball", "rising"), is_unseen("red", "ball", "rising")
        (True, False)
    """
    return UNSEEN_COLOURS[shape] == colour or UNSEEN_MOTIONS[shape] == motion


def list_object_looks(unseen: bool) -> list[ObjectLook]:
    """Indices of colour, shape and motion of all combinations that training sees, or never sees."""
    every = product(enumerate(COLOURS), enumerate(SHAPES), enumerate(MOTIONS))
    return [(c, s, m) for (c, colour), (s, shape), (m, motion) in every if is_unseen(colour, shape, motion) is unseen]
