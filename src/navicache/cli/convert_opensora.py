"""`navicache convert-opensora`: published Open-Sora 1.2 checkpoints to a diffusers folder."""

import argparse
from pathlib import Path

from navicache.generation.loading import DTYPES
from navicache.weights_package import import_opensora


def add_subcommand_options(parser: argparse.ArgumentParser) -> None:
    """Options of the subcommand."""
    source = (
        "folder of a published transformer or VAE (config.json and model.safetensors), or a folder that holds "
        "both, and a T5 encoder with its tokenizer if you like, each in a folder of its own"
    )
    parser.add_argument("source", type=Path, metavar="SRC", help=source)
    parser.add_argument("out", type=Path, metavar="OUT", help="diffusers folder to write; must not exist")
    parser.add_argument("--dtype", choices=list(DTYPES), help="store the weights so (as they are)")


def run(options: argparse.Namespace) -> int:
    """Convert, and say how to open the result."""
    convert = import_opensora("navicache_opensora.convert").convert_checkpoints
    convert(options.source, options.out, DTYPES.get(options.dtype), lambda line: print(line, flush=True))
    print(f"written to {options.out}; open it with navicache_opensora.OpenSoraPipeline.from_pretrained")
    return 0
