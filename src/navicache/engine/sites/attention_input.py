"""What would enter a block's attention: the modulated input that TeaCache watches."""

from typing import Any, NoReturn

from torch import Tensor, nn

from navicache.engine.errors import CannotCache

ATTENTION_NAMES = ("attn1", "attn", "self_attn", "attention")


class _AttentionReached(Exception):  # noqa: N818  (it is no error)
    def __init__(self, tokens: Tensor) -> None:
        self.tokens = tokens


def capture_attention_input(block: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Tensor:
    """Run the block up to its attention and no further: norm and modulation, whatever they are in this model.

    The plain forward is called, so that a compiled block is not compiled again for half of its work.
    """
    attention = next((getattr(block, name) for name in ATTENTION_NAMES if name in dict(block.named_children())), None)
    if attention is None:
        have = ", ".join(name for name, _ in block.named_children())
        raise CannotCache(f"{type(block).__name__} has no attention under a known name, only: {have}")

    def stop_at_attention(_: nn.Module, given: tuple[Any, ...], named: dict[str, Any]) -> NoReturn:
        raise _AttentionReached(next(value for value in (*given, *named.values()) if isinstance(value, Tensor)))

    handle = attention.register_forward_pre_hook(stop_at_attention, with_kwargs=True)
    try:
        block.forward(*args, **kwargs)
    except _AttentionReached as reached:
        return reached.tokens
    finally:
        handle.remove()
    raise CannotCache(f"{type(block).__name__} ran without its attention: nothing to watch")
