"""Graphs for the server, as its page would queue them: the embedded Wan from a prompt to latents, and what follows."""

from typing import Any

Graph = dict[str, dict[str, Any]]

PROMPT = "a large red ball moving right in front of green hills"


def node(kind: str, **inputs: Any) -> dict[str, Any]:
    """One node; an input that is a list is a link: [node, output]."""
    return {"class_type": kind, "inputs": inputs}


def sampled(sampler: str = "euler", speedup: float | None = None, knobs: str = "", steps: int = 20) -> Graph:
    """The run of one sampler, its latents saved and its evaluations counted; without a speed-up without our node."""
    graph = {
        "model": node("PocketModel"),
        "shift": node("ModelSamplingSD3", model=["model", 0], shift=3.0),
        "counted": node("PocketCounter", model=["shift", 0]),
        "yes": node("PocketText", prompt=PROMPT),
        "no": node("PocketText", prompt=""),
        "empty": node("EmptyHunyuanLatentVideo", width=128, height=128, length=17, batch_size=1),
        "sampler": ksampler(["counted", 0], sampler, steps),
        "latents": node("SaveLatent", samples=["sampler", 0], filename_prefix="latents"),
        "count": node("PocketCount", model=["counted", 0], after=["sampler", 0]),
    }
    if speedup is not None:
        graph["cache"] = cache({"target": "speed-up", "target.speedup": speedup}, knobs)
        graph["sampler"]["inputs"]["model"] = ["cache", 0]
    return graph


def ksampler(model: list[Any], sampler: str, steps: int) -> dict[str, Any]:
    """ComfyUI's plain sampler node, on the prompts and the empty latent of `sampled`."""
    links = {"model": model, "positive": ["yes", 0], "negative": ["no", 0], "latent_image": ["empty", 0]}
    widgets = {"seed": 7, "steps": steps, "cfg": 5.0, "sampler_name": sampler, "scheduler": "simple", "denoise": 1.0}
    return node("KSampler", **links, **widgets)


def cache(target: dict[str, Any], knobs: str = "") -> dict[str, Any]:
    """Our node."""
    return node("NaviCache", model=["counted", 0], knobs=knobs, **target)


def reported(graph: Graph) -> Graph:
    """With our report: its picture saved, its summary shown."""
    report = node("NaviCacheReport", model=["cache", 0], after=["sampler", 0])
    return {**graph, "report": report, "text": node("PreviewAny", source=["report", 2])}


def filmed(graph: Graph) -> Graph:
    """With the video, as a file."""
    return {
        **graph,
        "frames": node("PocketDecode", samples=["sampler", 0]),
        "video": node("CreateVideo", images=["frames", 0], fps=8.0),
        "file": node("SaveVideo", video=["video", 0], filename_prefix="video", format="mp4", codec="h264"),
    }
