"""`navicache studio`: serve a page to try a model with and without the cache."""

import argparse
import importlib.util
import sys

from navicache.cli.options import add_device_options, parse_positive_number
from navicache.generation.job import MODEL_HELP, POCKET, ModelSource
from navicache.studio.limits import LOCKED_LIMITS, OPEN_LIMITS
from navicache.studio.models import StudioModels, check_models
from navicache.studio.request_guard import is_loopback

FIRST = f"{POCKET}:hunyuan"  # the quickest that makes videos and needs no other package
INSTALL = (
    'the studio is a Gradio page, and gradio is not installed: run `pip install ".[studio]"` in a clone of navicache'
)

OPEN_TO_ALL = (
    "warning: whoever reaches {host} may load any folder or hub id on this machine, probe its files, and keep it busy: "
    "add --locked, or use the default --host 127.0.0.1"
)


def add_subcommand_options(parser: argparse.ArgumentParser) -> None:
    """Options of the subcommand."""
    parser.add_argument("--model", default=FIRST, help=f"shown first: {MODEL_HELP} (%(default)s)")
    parser.add_argument("--locked", action="store_true", help="visitors choose --model or an embedded one, no other")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on; 0.0.0.0 for others (%(default)s)")
    parser.add_argument("--port", type=int, help="to listen on (the first free one from 7860 on)")
    longest = f"minutes of a run, without loading ({OPEN_LIMITS.minutes:g}; with --locked {LOCKED_LIMITS.minutes:g})"
    parser.add_argument("--minutes", type=parse_positive_number, help=longest)
    parser.add_argument("--open", action="store_true", help="open the page in the browser of this machine")
    add_device_options(parser)


def run(options: argparse.Namespace) -> int:
    """Serve the page until it is interrupted."""
    if importlib.util.find_spec("gradio") is None:
        raise ValueError(INSTALL)
    source = ModelSource(options.model, options.dtype, options.device, options.offload)
    offer = StudioModels(source, options.locked, options.minutes)
    check_models(offer)
    if options.port is not None and not 0 < options.port < 2**16:
        raise ValueError(f"--port must be from 1 to 65535, got {options.port}")
    if not (options.locked or is_loopback(options.host)):
        print(OPEN_TO_ALL.format(host=options.host), file=sys.stderr, flush=True)
    from navicache.cli.tune.for_studio import tune_for_studio
    from navicache.studio.page import open_page

    tuner = None if options.locked else tune_for_studio
    host = f"[{options.host}]" if ":" in options.host and "[" not in options.host else options.host  # as in an address
    open_page(offer, tuner, server_name=host, server_port=options.port, inbrowser=options.open)
    return 0
