"""Tell an error for want of memory from all others: on a CPU it is a plain RuntimeError. Needs no torch."""

# Of PyTorch's allocators on CPU, CUDA and MPS, of cuBLAS and cuDNN, and of the operating system.
SIGNS = ("out of memory", "allocate memory", "alloc_failed", "not enough memory")


def is_out_of_memory(error: BaseException) -> bool:
    """Whether memory ran out, of whatever device.

    Example:
        >>> is_out_of_memory(RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes"))
        True
        >>> is_out_of_memory(RuntimeError("shapes differ")), is_out_of_memory(MemoryError())
        (False, True)
    """
    if isinstance(error, MemoryError):
        return True
    return isinstance(error, RuntimeError) and any(sign in str(error).lower() for sign in SIGNS)


def explain_out_of_memory(error: BaseException) -> str:
    """The error in a sentence: what was asked for, if the error says so.

    Example:
        >>> explain_out_of_memory(MemoryError())
        'not enough memory'
    """
    lines = str(error).splitlines()
    return f"not enough memory: {lines[0]}" if lines else "not enough memory"
