"""The command line: `navicache SUBCOMMAND`; each subcommand is a module or a folder that owns its options and work."""

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType

from navicache.generation.memory_errors import explain_out_of_memory, is_out_of_memory
from navicache.version import __version__

# By name: the module, imported when its command is called, so that the help waits for no torch; and a summary.
COMMANDS = {
    "convert-opensora": ("convert_opensora", "make a diffusers folder of published Open-Sora 1.2 checkpoints"),
    "demo": ("demo", "generate with and without the cache on the embedded model, and show what happened"),
    "generate": ("generate", "generate a video or image of a prompt, and compare with no cache"),
    "bench": ("bench.command", "measure models and policies over many prompts as a plan says; run it again to go on"),
    "metrics": (
        "metrics",
        "score videos and sounds against their references: PSNR, SSIM, LPIPS, audio SNR and more, with intervals",
    ),
    "vbench": ("vbench", "deprecated: `python -m benchmarks.vbench` in a clone scores the videos of `bench`"),
    "report": ("report.command", "the results of `bench` as one page: curves, tables, traces and videos side by side"),
    "studio": ("studio", "a page in the browser: prompt, target, and both videos side by side, step by step"),
    "tune": (
        "tune.command",
        "find the best setting for your own model by trying settings on it; run it again to go on",
    ),
    "calibrate": (
        "calibrate.command",
        "measure on a model what TeaCache, MagCache, L2P or MeanCache need to know of it",
    ),
    "doctor": ("doctor", "say what the cache finds in a model, what it can do there, and what will not work"),
    "models": ("models", "list known models, what policies are set to there, and where the numbers come from"),
    "weights": ("weights", "deprecated: navicache-pocket brings the weights of LPIPS"),
}
INTERRUPTED = 130  # 128 + SIGINT, as shells count
LESS_MEMORY = "try --offload model (then group, sequential), fewer --frames, or a smaller --height, --width or batch"


def import_command(name: str) -> ModuleType:
    """The module of a subcommand."""
    return import_module(f"navicache.cli.{COMMANDS[name][0]}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a subcommand; returns the exit status."""
    parser = argparse.ArgumentParser(prog="navicache", description="Faster video diffusion, calibrated as it runs.")
    parser.add_argument("--version", action="version", version=f"navicache {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="SUBCOMMAND")
    parsers = {
        name: commands.add_parser(name, help=summary, description=summary) for name, (_, summary) in COMMANDS.items()
    }
    given = sys.argv[1:] if arguments is None else arguments
    asked = next((word for word in given if not word.startswith("-")), "")  # no option before it takes a value
    try:
        if asked in parsers:
            import_command(asked).add_subcommand_options(parsers[asked])
        options = parser.parse_args(given)
        return import_command(options.command).run(options)
    except ImportError as error:
        install = 'run `pip install ".[diffusers,eval]"` in a clone of navicache'
        parser.exit(2, f"navicache {asked}: {error}; {install}\n")
    except (ValueError, TypeError, OSError) as error:
        parser.exit(2, f"navicache {asked}: {error}\n")
    except (MemoryError, RuntimeError) as error:
        if not is_out_of_memory(error):
            raise
        parser.exit(2, f"navicache {asked}: {explain_out_of_memory(error)}\n{LESS_MEMORY}\n")
    except KeyboardInterrupt:
        parser.exit(INTERRUPTED, f"\nnavicache {asked}: interrupted; nothing half-written is left\n")
