"""Does the embedded model draw what its prompt says? Held-out captions are generated, and an automatic reader looks.

    python -m benchmarks.training.captions                                   # the packaged checkpoint
    python -m benchmarks.training.captions --checkpoint build/pocket/checkpoint --device cuda --batch 64
    python -m benchmarks.training.captions --captions 4 --rendered 8 --steps 2 --max-sequence-length 32   # to try it

Half of the captions are new mixtures of what training showed, half name an object of a kind it never showed. The reader
is checked in the same run on rendered videos, whose scenes are known. Writes a JSON file and a contact sheet.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from diffusers import WanPipeline
from tqdm import tqdm

import navicache.pocket
from benchmarks.json_file import save_json
from benchmarks.training.caption_tables import RAGGED, Table, crisp, lines, tabulate, told
from benchmarks.training.contact_sheet import Card, save_sheet
from navicache_pocket.reader import (
    BackgroundClassifier,
    fit_background_classifier,
    judge_reading,
    measure_crispness,
    read_videos,
    validate_reader,
)
from navicache_pocket.train import denoiser
from navicache_pocket.world import Scenes, draw_scenes, words, write_captions
from navicache_pocket.world.render import FRAMES, SIZE
from navicache_pocket.world.scenes import SceneSplit

SEEDS: dict[SceneSplit, int] = {"seen": 910_001, "unseen": 910_002}
RENDERED_SEEDS: dict[SceneSplit, int] = {"seen": 920_001, "unseen": 920_002}
DIRECTED = 0.625  # share of the captions whose first object moves in a direction: those tell about motion
SHOWN = 12  # videos of each split on the contact sheet


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """Validate the reader, generate with each text length, read, report."""
    options = _options(arguments)
    backgrounds = fit_background_classifier()
    reader = check_reader(backgrounds, options)
    trained = set(write_captions(draw_scenes(options.trained_videos, denoiser.DenoiserSettings.seed)))
    scenes = {split: held_out(split, options.captions // 2, trained) for split in SEEDS}
    pipe = _open(options)
    results: dict[str, Any] = {"settings": _plain(options), "reader": reader, "generated": {}}
    for length in options.max_sequence_length:
        videos = {
            split: generate(pipe, write_captions(scenes[split]), SEEDS[split], length, options) for split in SEEDS
        }
        readings = {split: read_videos(videos[split], scenes[split].has_pair, backgrounds) for split in SEEDS}
        verdicts = {split: judge_reading(readings[split], scenes[split]) for split in SEEDS}
        table = tabulate(verdicts)
        print(f"generated, max_sequence_length {length}, right in percent\n{lines(table)}")
        rows = [row for split in SEEDS for row in _rows(split, scenes[split], told(readings[split], verdicts[split]))]
        outlines = crisp(torch.cat([measure_crispness(videos[split], scenes[split]) for split in SEEDS]))
        fit, ragged = f"{outlines['mean']:.1f} %", f"{outlines['ragged']} less than {RAGGED} %"
        print(f"  {outlines['objects']} outlines fit {fit} as well as rendered ones, {ragged}")
        results["generated"][length] = {"table": table, "outlines": outlines, "videos": rows}
        cards = [card for split in SEEDS for card in _cards(split, videos[split], rows)]
        save_sheet(cards, options.out / f"captions_{length}.png", f"{_title(options)}, text padded to {length} tokens")
    save_json(options.out / "captions.json", results)
    print(f"written to {options.out}")
    return results


def check_reader(backgrounds: BackgroundClassifier, options: argparse.Namespace) -> dict[str, Table]:
    """The reader's own figures, on rendered videos and on damaged ones."""
    splits: dict[SceneSplit, Any] = {}
    for split, seed in RENDERED_SEEDS.items():
        scenes = draw_scenes(options.rendered // 2, seed, split).to(options.device)
        splits[split] = validate_reader(scenes, backgrounds, frames=options.frames, size=options.size)
    tables: dict[str, Table] = {}
    for condition in splits["seen"]:
        tables[condition] = tabulate({split: found[condition] for split, found in splits.items()})
        print(f"reader on rendered videos, {condition}, right in percent\n{lines(tables[condition])}")
    return tables


def held_out(split: SceneSplit, count: int, trained: set[str]) -> Scenes:
    """So many scenes with captions that training never had, the first object of many moving in a direction."""
    pool = draw_scenes(max(2000, 20 * count), SEEDS[split], split)
    new = [row for row, caption in enumerate(write_captions(pool)) if caption not in trained]
    directed = [row for row in new if pool.motion[row, 0] < len(words.DIRECTIONS)]
    other = [row for row in new if pool.motion[row, 0] >= len(words.DIRECTIONS)]
    wanted = round(DIRECTED * count)
    return pool[torch.tensor(sorted(directed[:wanted] + other[: count - wanted]))]


@torch.no_grad()
def generate(pipe: Any, prompts: Sequence[str], seed: int, length: int, options: argparse.Namespace) -> torch.Tensor:
    """One video a prompt, each from its own noise, so that the batch size changes nothing but rounding."""
    videos: list[torch.Tensor] = []
    for first in tqdm(range(0, len(prompts), options.batch), desc=f"generating, {length} tokens", unit="batch"):
        some = list(prompts[first : first + options.batch])
        frames = pipe(
            prompt=some,
            height=options.size,
            width=options.size,
            num_frames=options.frames,
            num_inference_steps=options.steps,
            guidance_scale=options.guidance,
            generator=[torch.Generator().manual_seed(seed + first + row) for row in range(len(some))],
            max_sequence_length=length,
            output_type="pt",
        ).frames
        videos.append(frames.float().cpu().transpose(1, 2) * 2 - 1)
    return torch.cat(videos)


def _rows(split: SceneSplit, scenes: Scenes, found: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each video with its caption and what was read in it."""
    texts = write_captions(scenes)
    return [{"split": split, "caption": texts[n], "seed": SEEDS[split] + n, **found[n]} for n in range(len(texts))]


def _cards(split: str, videos: torch.Tensor, rows: Sequence[dict[str, Any]]) -> list[Card]:
    """The first videos of a split, not chosen."""
    own = [row for row in rows if row["split"] == split][:SHOWN]
    kind = "unseen kind" if split == "unseen" else "new mixture"
    return [Card(video, row["caption"], kind, row) for video, row in zip(videos, own, strict=False)]


def _title(options: argparse.Namespace) -> str:
    return f"Held-out captions: {options.steps} steps, guidance {options.guidance:g}, {options.dtype}"


def _open(options: argparse.Namespace) -> WanPipeline:
    pipe = WanPipeline.from_pretrained(options.checkpoint, dtype=getattr(torch, options.dtype))
    pipe.set_progress_bar_config(disable=True)
    return pipe.to(options.device)


def _plain(options: argparse.Namespace) -> dict[str, Any]:
    """What the run was asked for, without where its files lie."""
    known = {name: value for name, value in vars(options).items() if not isinstance(value, Path)}
    return {**known, "torch": torch.__version__}


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    cuda = torch.cuda.is_available()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkpoint", type=Path, default=navicache.pocket.checkpoint_path())
    parser.add_argument("--out", type=Path, default=Path("build/pocket_captions"))
    parser.add_argument("--captions", type=int, default=128, help="half of them of unseen kinds")
    parser.add_argument("--rendered", type=int, default=1024, help="videos that validate the reader")
    parser.add_argument("--batch", type=int, default=32 if cuda else 4)
    parser.add_argument("--device", default="cuda" if cuda else "cpu")
    parser.add_argument(
        "--dtype", default="bfloat16" if cuda else "float32", choices=("float32", "bfloat16", "float16")
    )
    parser.add_argument("--max-sequence-length", type=int, nargs="+", default=[32, 512])
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--guidance", type=float, default=5.0)
    parser.add_argument("--frames", type=int, default=FRAMES)
    parser.add_argument("--size", type=int, default=SIZE)
    parser.add_argument(
        "--trained-videos", type=int, default=denoiser.DenoiserSettings.videos, help="captions left out"
    )
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    return options


if __name__ == "__main__":
    main()
