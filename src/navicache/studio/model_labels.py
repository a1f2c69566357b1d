"""What each embedded model is, in a line for the list of models."""

from navicache.generation.job import POCKET, ModelSource

# By the CPU seconds of one call without the cache at its own values: 4, 4, 6, 6, 14, 15, 55 and 57 on one thread.
QUICKEST_FIRST = {
    "unet": "a small Stable Diffusion",
    "turbo": "the small Wan, distilled to 8 steps",
    "sound": "a small LTX-2, video with sound",
    "opensora": "a small Open-Sora 1.2",
    "hunyuan": "a small HunyuanVideo",
    "cogvideox": "a small CogVideoX",
    "wild": "a small Wan, as hard for caches as published models",
    "wan": "a small Wan",
}


def describe_model(name: str) -> str:
    """The label of a model; one that is not embedded has its own name alone.

    Example:
        >>> describe_model("pocket:hunyuan"), describe_model("owner/name")
        ('pocket:hunyuan · a small HunyuanVideo: 9 frames of 64 x 64', 'owner/name')
    """
    member = ModelSource(name).member if name.partition(":")[0] == POCKET else None
    if member is None:
        return name
    frames = member.call.get("num_frames")
    size = f"{member.call['height']} x {member.call['width']}"
    return f"{name} · {QUICKEST_FIRST[member.name]}: {f'{frames} frames' if frames else 'images'} of {size}"
