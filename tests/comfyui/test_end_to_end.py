"""From a queued graph to latents and a video, in a real ComfyUI."""

import io
import json
import time

import pytest
from safetensors.torch import load
from tests.comfyui.graphs import Graph, cache, filmed, reported, sampled
from tests.comfyui.server import Server
from torch import Tensor

from navicache.evaluation.psnr import psnr
from navicache.evaluation.video_files import read_video

pytestmark = pytest.mark.comfyui

# Evaluations of 20 steps without a cache: heun looks twice at each but the last.
SAMPLERS = {"euler": 20, "dpmpp_2m": 20, "uni_pc": 20, "res_multistep": 20, "euler_ancestral": 20, "heun": 39}


def latents(server: Server, entry: dict) -> Tensor:
    return load(server.fetch(entry["outputs"]["latents"]["latents"][0]))["latent_tensor"]


def evaluations(entry: dict) -> float:
    return int(entry["outputs"]["count"]["text"][0]) / 2  # guidance: two rows


def done(server: Server, graph: Graph) -> dict:
    entry = server.run(graph)
    assert entry["status"]["status_str"] == "success", entry["status"]["messages"][-1]
    return entry


@pytest.mark.parametrize("sampler", ["euler", "euler_ancestral", "heun"])
def test_a_speed_up_of_one_changes_no_bit(comfyui: Server, sampler: str) -> None:
    entry = done(comfyui, sampled(sampler, steps=6))
    assert evaluations(entry) == (11 if sampler == "heun" else 6)
    plain = latents(comfyui, entry)
    cached = latents(comfyui, done(comfyui, sampled(sampler, speedup=1.0, steps=6)))
    assert plain.equal(cached)


def test_nothing_is_left_on_the_model_once_the_node_is_gone(comfyui: Server) -> None:
    before = latents(comfyui, done(comfyui, sampled(steps=8)))
    during = latents(comfyui, done(comfyui, sampled(speedup=2.0, steps=8)))
    after = latents(comfyui, done(comfyui, sampled(steps=8)))
    assert before.equal(after) and not before.equal(during)


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_asked_for_half_half_is_computed(comfyui: Server, sampler: str) -> None:
    computed = evaluations(done(comfyui, sampled(sampler, speedup=2.0)))
    assert abs(computed - SAMPLERS[sampler] / 2) <= 1


@pytest.mark.parametrize(
    ("target", "knobs"),
    [
        ({"target": "quality", "target.quality": "high (2x)"}, ""),
        ({"target": "max error", "target.max_error": 0.5}, ""),
        ({"target": "policy", "target.policy": "static"}, "interval=2"),
    ],
    ids=lambda value: " ".join(map(str, value.values())) if isinstance(value, dict) else "",
)
def test_every_other_target_leaves_steps_out(comfyui: Server, target: dict, knobs: str) -> None:
    graph = sampled(steps=14)
    graph["cache"] = cache(target, knobs)
    graph["sampler"]["inputs"]["model"] = ["cache", 0]
    assert 3 <= evaluations(done(comfyui, graph)) < 14


@pytest.mark.parametrize(("word", "computed"), [("fast (3x)", 7), ("fast", 9), ("slow", 11)])
def test_a_word_of_an_older_workflow_is_the_mode_that_it_was(comfyui: Server, word: str, computed: int) -> None:
    graph = sampled(speedup=2.0)
    graph["cache"] = cache({"target": "quality", "target.quality": word})
    assert evaluations(done(comfyui, graph)) == computed


def test_the_page_offers_the_qualities_alone(comfyui: Server) -> None:
    target = comfyui.ask("object_info/NaviCache")["NaviCache"]["input"]["required"]["target"][1]
    (widget,) = (option["inputs"]["required"] for option in target["options"] if option["key"] == "quality")
    assert widget["quality"][1]["options"] == ["lossless (1.5x)", "high (2x)", "fast (3x)"]


def test_a_word_that_is_no_quality_is_refused(comfyui: Server) -> None:
    graph = {**sampled(speedup=2.0), "cache": cache({"target": "quality", "target.quality": "best"})}
    _, answer = comfyui.post("prompt", {"prompt": graph})
    (error,) = answer["node_errors"]["cache"]["errors"]
    assert error["type"] == "value_not_in_list" and "high (2x)" in error["details"]


def test_an_interrupted_run_leaves_nothing_to_the_next(comfyui: Server) -> None:
    before = latents(comfyui, done(comfyui, sampled(speedup=2.0, steps=8)))
    _, answer = comfyui.post("prompt", {"prompt": sampled(speedup=2.0, steps=40)})
    while not comfyui.ask("queue")["queue_running"]:
        time.sleep(0.1)
    time.sleep(3)
    comfyui.post("interrupt", {})
    assert comfyui.wait(answer["prompt_id"])["status"]["messages"][-1][0] == "execution_interrupted"
    assert before.equal(latents(comfyui, done(comfyui, sampled(speedup=2.0, steps=8))))


def test_the_video_is_near_the_uncached_one(comfyui: Server, tmp_path) -> None:
    videos = []
    for number, speedup in enumerate((None, 2.0)):
        entry = done(comfyui, filmed(sampled(speedup=speedup)))
        path = tmp_path / f"{number}.mp4"
        path.write_bytes(comfyui.fetch(entry["outputs"]["file"]["images"][0]))
        videos.append(read_video(path))
    assert len(videos[0]) == 17
    assert psnr(*videos) > 30


def test_the_report_tells_what_was_computed(comfyui: Server) -> None:
    from PIL import Image

    entry = done(comfyui, reported(sampled(speedup=2.0)))
    summary = entry["outputs"]["text"]["text"][0]
    assert f"computed {evaluations(entry):.0f} of 20 steps" in summary
    picture = Image.open(io.BytesIO(comfyui.fetch(entry["outputs"]["report"]["images"][0])))
    assert picture.width > 1000 and len(picture.getcolors(2**20)) > 50


def test_a_wrong_knob_is_refused_before_anything_runs(comfyui: Server) -> None:
    status, answer = comfyui.post("prompt", {"prompt": sampled(speedup=2.0, knobs="align_step=4")})
    errors = answer["node_errors"]["cache"]["errors"]
    assert [error["details"] for error in errors] == [
        "knobs - no policy has a knob 'align_step': did you mean 'align_steps'?"
    ]
    assert status == 400 or answer["node_errors"].keys() == {"cache"}


@pytest.mark.parametrize("target", [{}, *({"target": value} for value in ("speedup", None, 3, {"target": "speed-up"}))])
def test_a_target_that_no_page_sends_is_told_at_the_node(comfyui: Server, target: dict) -> None:
    graph = sampled(steps=4, speedup=2.0)
    graph["cache"] = cache(target)
    kind, message = comfyui.run(graph)["status"]["messages"][-1]
    assert kind == "execution_error" and message["node_id"] == "cache", json.dumps(message)
    assert message["exception_message"].startswith("the target is missing, or none of speed-up, quality")


def test_a_knob_of_another_policy_is_told_at_the_node(comfyui: Server) -> None:
    graph = sampled(steps=4)
    graph["cache"] = cache({"target": "policy", "target.policy": "static"}, "align_steps=4, threshold=0.1")
    graph["sampler"]["inputs"]["model"] = ["cache", 0]
    entry = comfyui.run(graph)
    kind, message = entry["status"]["messages"][-1]
    assert kind == "execution_error" and message["node_id"] == "cache", json.dumps(message)
    assert "threshold" in message["exception_message"]
