"""The page docs/gallery.md, written from the figures beside its pictures.

python -m benchmarks.gallery.page      # after `python -m benchmarks.gallery --out docs/images/gallery`
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
FIGURES = ROOT / "docs" / "images" / "gallery" / "figures.json"
PAGE = ROOT / "docs" / "gallery.md"
START = """# Gallery

Every [embedded model](pocket.md) with the default policy, at two, three and four times fewer computed steps. Each
picture shows frames of the run of every step, of the cached run from the same prompt and noise, and ten times their
difference. Under it stand PSNR (higher is closer) and LPIPS (lower is closer) of the whole cached video against the
run of every step ([metrics](metrics.md)).

The prompts are of the first seven of the held-out set, which the models were not trained on. They were taken by number,
before any picture was seen. `wild` has one of the 42 captions that it knows. Seed 0, float32, on a CPU.
`turbo`, of 8 steps, is left out.
The videos were made with the schedule before 20 November 2026, which is denser at the end.

These models are small: soft outlines and flat colours are theirs, with and without the cache. No large model has been
measured yet.

To make it again in a clone: `python -m benchmarks.gallery --out docs/images/gallery`, then
`python -m benchmarks.gallery.page` ([figures.json](images/gallery/figures.json)).
"""
REMARKS = {
    "wild": "A hard model on purpose. At 4x the noise has become another video: 12 of 50 steps are too few for it.",
    "opensora": "At 4x the triangle turns from red to orange. 8 of 30 steps are too few for this model and prompt.",
}


def write_page(figures: dict[str, Any]) -> str:
    """The whole page."""
    return START + "".join(write_section(name, model) for name, model in figures["models"].items())


def write_section(name: str, model: dict[str, Any]) -> str:
    """One model: its videos in step, then a strip of frames for each speed-up."""
    lines = [f"\n## {name}\n", f"{model['pipeline']}, {model['steps']} steps. {quote_prompts(model['prompts'])}\n"]
    if name in REMARKS:
        lines.append(f"{REMARKS[name]}\n")
    if model["animation"]:
        lines.append(f"![{name} at every speed, in step](images/gallery/{model['animation']})\n")
    for speedup, row in model["speedups"].items():
        lines.append(f"![{name} at {speedup}x](images/gallery/{row['picture']})\n")
        lines.append(f"{write_caption(speedup, row, model)}\n")
    return "\n".join(lines)


def quote_prompts(prompts: Sequence[str]) -> str:
    """One prompt, or those of several images from left to right."""
    if len(prompts) == 1:
        return f"Prompt: *{prompts[0]}*."
    return "Images of five prompts, from left to right: " + "; ".join(f"*{prompt}*" for prompt in prompts) + "."


def write_caption(speedup: str, row: dict[str, Any], model: dict[str, Any]) -> str:
    """The figures under a picture.

    Example:
        >>> row = {"computed": 25, "psnr": 61.25, "lpips": 0.00002}
        >>> write_caption("2", row, {"steps": 50, "prompts": ["a red ball"]})
        '**2x**: 25 of 50 steps computed, PSNR 61.2 dB, LPIPS below 0.0001.'
    """
    average = " (means over the images)" if len(model["prompts"]) > 1 else ""
    computed = f"{row['computed']} of {model['steps']} steps computed"
    sound = f", SNR of the sound {row['audio_snr']:.1f} dB" if "audio_snr" in row else ""
    return f"**{speedup}x**: {computed}, PSNR {row['psnr']:.1f} dB, LPIPS {write_lpips(row['lpips'])}{average}{sound}."


def write_lpips(value: float) -> str:
    """Four digits, of which the last is not noise."""
    return "below 0.0001" if value < 1e-4 else f"{value:.4f}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the page over the old one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--figures", type=Path, default=FIGURES, help="file to read (docs/images/gallery/figures.json)")
    parser.add_argument("--out", type=Path, default=PAGE, help="file to write (docs/gallery.md)")
    options = parser.parse_args(arguments)
    options.out.write_text(write_page(json.loads(options.figures.read_text(encoding="utf-8"))), encoding="utf-8")


if __name__ == "__main__":
    main()
