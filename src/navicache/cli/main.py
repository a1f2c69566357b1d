"""The command line: `navicache SUBCOMMAND`; each subcommand is a module or a folder that owns its options and work."""

import argparse
from collections.abc import Sequence

import torch

from navicache.cli import convert_opensora, demo, doctor, generate, metrics, models, studio, vbench, weights
from navicache.cli.bench import command as bench
from navicache.cli.calibrate import command as calibrate
from navicache.cli.report import command as report
from navicache.cli.tune import command as tune
from navicache.version import __version__

COMMANDS = {
    "convert-opensora": (convert_opensora, "make a diffusers folder of published Open-Sora 1.2 checkpoints"),
    "demo": (demo, "generate with and without the cache on the embedded model, and show what happened"),
    "generate": (generate, "generate a video or image of a prompt, and compare with no cache"),
    "bench": (bench, "measure models and policies over many prompts as a plan says; run it again to go on"),
    "metrics": (
        metrics,
        "score videos and sounds against their references: PSNR, SSIM, LPIPS, audio SNR and more, with intervals",
    ),
    "vbench": (vbench, "deprecated: `python -m benchmarks.vbench` in a clone scores the videos of `bench`"),
    "report": (report, "the results of `bench` as one page: curves, tables, traces and videos side by side"),
    "studio": (studio, "a page in the browser: prompt, target, and both videos side by side, step by step"),
    "tune": (tune, "find the best setting for your own model by trying settings on it; run it again to go on"),
    "calibrate": (calibrate, "measure on a model what TeaCache, MagCache, L2P or MeanCache need to know of it"),
    "doctor": (doctor, "say what the cache finds in a model, what it can do there, and what will not work"),
    "models": (models, "list known models, what policies are set to there, and where the numbers come from"),
    "weights": (weights, "deprecated: navicache-pocket brings the weights of LPIPS"),
}
INTERRUPTED = 130  # 128 + SIGINT, as shells count


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a subcommand; returns the exit status."""
    parser = argparse.ArgumentParser(prog="navicache", description="Faster video diffusion, calibrated as it runs.")
    parser.add_argument("--version", action="version", version=f"navicache {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="SUBCOMMAND")
    for name, (command, summary) in COMMANDS.items():
        command.add_subcommand_options(commands.add_parser(name, help=summary, description=summary))
    options = parser.parse_args(arguments)
    try:
        return COMMANDS[options.command][0].run(options)
    except ImportError as error:
        install = 'run `pip install ".[diffusers,eval]"` in a clone of navicache'
        parser.exit(2, f"navicache {options.command}: {error}; {install}\n")
    except (ValueError, TypeError, OSError) as error:
        parser.exit(2, f"navicache {options.command}: {error}\n")
    except torch.OutOfMemoryError as error:
        hint = "try --offload model (then group, sequential), fewer --frames, or a smaller --height, --width or batch"
        parser.exit(2, f"navicache {options.command}: {str(error).splitlines()[0]}\n{hint}\n")
    except KeyboardInterrupt:
        parser.exit(INTERRUPTED, f"\nnavicache {options.command}: interrupted; nothing half-written is left\n")
