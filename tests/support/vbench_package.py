"""A stand-in for the `vbench` package, and results of a benchmark for it to score.

Signatures, names of files and the form of results are those of vbench 0.1.5 (its vbench/__init__.py, utils.py and
cli/static_filter.py); what it scores is made up. It writes down what it was given.
"""

import json
from pathlib import Path

from benchmarks.vbench.scores import DIMENSIONS

from navicache.evaluation.bench.names import slug

SEEDS = (3, 11, 12, 40, 99)
BALL, CAT = "a red ball", "In a still frame, a cat"
# The ball is of all dimensions, the cat of two.
LIST = [
    {"prompt_en": BALL, "dimension": [name for name in DIMENSIONS if name != "temporal_flickering"]},
    {"prompt_en": CAT, "dimension": ["temporal_flickering", "color"]},
]
SCORES = {name: round(0.9 - 0.01 * number, 2) for number, name in enumerate(DIMENSIONS)}

PACKAGE = """
import json, os, time
from pathlib import Path

class VBench(object):
    def __init__(self, device, full_info_dir, output_path):
        self.device, self.full_info_dir, self.output_path = device, full_info_dir, output_path
        os.makedirs(output_path, exist_ok=True)

    def evaluate(self, videos_path, name, prompt_list=[], dimension_list=None, local=False, read_frame=False,
                 mode="vbench_standard", **kwargs):
        here = Path(__file__).parent
        with (here / "calls.jsonl").open("a") as file:
            files = sorted(os.listdir(videos_path))
            file.write(json.dumps({"device": str(self.device), "dimensions": dimension_list, "mode": mode,
                                   "videos_path": videos_path, "files": files}) + "\\n")
        orders = json.loads((here / "orders.json").read_text())
        results = {}
        for dimension in dimension_list:
            print("scoring", dimension)
            if dimension in orders.get("fail", []):
                raise RuntimeError("no weights of " + dimension)
            if dimension in orders.get("hang", []):
                Path(self.output_path, name + "_eval_results.json").write_text("{")
                time.sleep(600)
            score = float("nan") if dimension in orders.get("nan", []) else orders["scores"][dimension]
            videos = []
            for entry in json.loads(Path(self.full_info_dir).read_text()):
                wanted = [f"{entry['prompt_en']}-{i}.mp4" for i in range(5)] if dimension in entry["dimension"] else []
                videos += [os.path.join(videos_path, each) for each in wanted if each in files]
            results[dimension] = (score, [{"video_path": each, "video_results": score} for each in videos])
        Path(self.output_path, name + "_eval_results.json").write_text(json.dumps(results, indent=4))
"""
UTILS = """
def init_submodules(dimension_list, local=False, read_frame=False):
    assert dimension_list == ["dynamic_degree"]
    return {}
"""
# Keeps the first of each prompt, as if all others moved.
FILTER = """
import glob, os, shutil

def static_filter(args):
    assert args.filter_scope == "temporal_flickering"
    kept = os.path.join(args.result_path, "filtered_videos")
    os.makedirs(kept)
    for path in sorted(glob.glob(os.path.join(args.videos_path, "*.mp4"))):
        if path.endswith("-24.mp4"):
            shutil.copy(path, os.path.join(kept, os.path.basename(path).replace("-24", "-0")))

def register_subparsers(subparser):
    parser = subparser.add_parser("static_filter")
    parser.add_argument("--videos_path", default="", required=True)
    parser.add_argument("--result_path", type=str, default="./filter_results")
    parser.add_argument("--filter_scope", default="temporal_flickering")
    parser.set_defaults(func=static_filter)
"""
TORCH = """
class cuda:
    is_available = staticmethod(lambda: False)
device = str
"""


def write_package(folder: Path) -> Path:
    """The package and, so that a child starts at once, a torch of four lines; the folder is for PYTHONPATH."""
    package = folder / "vbench"
    (package / "cli").mkdir(parents=True)
    files = {"__init__": PACKAGE, "utils": UTILS, "cli/__init__": "", "cli/static_filter": FILTER, "../torch": TORCH}
    for name, text in (files | dict.fromkeys(DIMENSIONS, "")).items():
        (package / f"{name}.py").write_text(text)
    (package / "VBench_full_info.json").write_text(json.dumps(LIST))
    (folder / "vbench-0.1.5.dist-info").mkdir()
    (folder / "vbench-0.1.5.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: vbench\nVersion: 0.1.5\n")
    order(folder)
    return folder


def order(folder: Path, **orders: list[str]) -> None:
    """What the stand-in is to do: `fail`, `hang` or write `nan` in these dimensions."""
    (folder / "vbench" / "orders.json").write_text(json.dumps({"scores": SCORES, **orders}))


def calls(folder: Path) -> list[dict]:
    """What the stand-in was given."""
    path = folder / "vbench" / "calls.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def write_results(folder: Path, settings=("baseline", "fast one"), seeds=SEEDS, prompts=(BALL, CAT)) -> Path:
    """What `navicache bench` leaves: rows, and files where they say."""
    rows = [_row(setting, prompt, seed, seeds) for setting in settings for prompt in prompts for seed in seeds]
    for row in rows:
        path = folder / row["video"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(row["key"].encode())
    with (folder / "rows.jsonl").open("a") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    return folder


def _row(setting: str, prompt: str, seed: int, seeds) -> dict:
    kind = "baseline" if setting == "baseline" else "cached"
    named = {"kind": kind, "model": "Tiny 1", "condition": "small", "setting": setting, "series": "", "prompt": prompt}
    video = f"videos/tiny-1/small/{slug(setting)}/{prompt}-{seeds.index(seed)}.mp4"
    return {"key": f"{setting} {prompt} {seed}", "group": f"{prompt} {seed}", **named, "seed": seed, "video": video}
