"""`navicache studio`: serve a page to try a model with and without the cache."""

import argparse
from importlib import import_module
from importlib.util import find_spec

from navicache.cli.options import add_device_options
from navicache.generation.job import MODEL_HELP, POCKET, ModelSource

NEEDED = {"navicache_studio": "navicache-studio", "gradio": "gradio"}


def add_subcommand_options(parser: argparse.ArgumentParser) -> None:
    """Options of the subcommand."""
    parser.add_argument("--model", default=POCKET, help=f"shown first: {MODEL_HELP} (%(default)s)")
    parser.add_argument("--locked", action="store_true", help="visitors choose --model or an embedded one, no other")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on; 0.0.0.0 for others (%(default)s)")
    parser.add_argument("--port", type=int, help="to listen on (the first free one from 7860 on)")
    parser.add_argument("--open", action="store_true", help="open the page in the browser of this machine")
    add_device_options(parser)


def run(options: argparse.Namespace) -> int:
    """Serve the page until it is interrupted."""
    if missing := [package for module, package in NEEDED.items() if find_spec(module) is None]:
        raise ValueError(
            f"the studio needs {' and '.join(missing)}: run `pip install . ./studio` in a clone of navicache"
        )
    models = import_module("navicache_studio.models")
    offer = models.StudioModels(
        ModelSource(options.model, options.dtype, options.device, options.offload), options.locked
    )
    models.check_models(offer)
    page = import_module("navicache_studio.page")
    page.open_page(offer, server_name=options.host, server_port=options.port, inbrowser=options.open)
    return 0
