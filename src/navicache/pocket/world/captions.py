"""The caption grammar: scenes into sentences."""

from navicache.pocket.world import words
from navicache.pocket.world.scenes import Scenes

LONGEST = 32  # tokens of the longest caption, its end included, rounded up


def vocabulary() -> list[str]:
    """Every word a caption can hold, sorted.

    Example:
        >>> "striped" in vocabulary(), "dog" in vocabulary()
        (True, False)
    """
    groups = (words.COLOURS, words.SHAPES, words.TEXTURES[1:], words.SIZES, words.MOTIONS, words.BACKGROUNDS)
    spoken = [phrase for group in groups for phrase in group]
    grammar = ["a and in front of , camera", *words.CAMERAS[1:]]
    return sorted({word for phrase in (*spoken, *grammar) for word in phrase.split()})


def captions(scenes: Scenes) -> list[str]:
    """One sentence a scene.

    Example:
        >>> from navicache.pocket.world.scenes import draw
        >>> captions(draw(1, seed=5))
        ['TODO']
    """
    columns = (scenes.size, scenes.colour, scenes.texture, scenes.shape, scenes.motion)
    objects = zip(*(column.tolist() for column in columns), strict=True)
    rest = zip(scenes.pair.tolist(), scenes.background.tolist(), scenes.camera.tolist(), strict=True)
    return [_sentence(list(zip(*thing, strict=True))[: 1 + pair], *place) for thing, (pair, *place) in zip(objects, rest, strict=True)]


def _sentence(things: list[tuple[int, ...]], background: int, camera: int) -> str:
    phrases = " and ".join(_phrase(*thing) for thing in things)
    view = f", camera {words.CAMERAS[camera]}" if camera else ""
    return f"{phrases} in front of {words.BACKGROUNDS[background]}{view}"


def _phrase(size: int, colour: int, texture: int, shape: int, motion: int) -> str:
    tables = (tuple(words.SIZES), tuple(words.COLOURS), ("", *words.TEXTURES[1:]), words.SHAPES, words.MOTIONS)
    named = (table[index] for table, index in zip(tables, (size, colour, texture, shape, motion), strict=True))
    return " ".join(word for word in ("a", *named) if word)
