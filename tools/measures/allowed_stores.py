"""Attribute writes on foreign objects that cannot be avoided, each with its reason."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from tools.measures.source_modules import SourceLocation


class AllowedStore(NamedTuple):
    """A store, as the table prints it, that the modules of one package of the library, or of another one, may make."""

    package: str
    store: str
    reason: str


ALLOWED_STORES = (
    AllowedStore("engine", "module.forward", "the one place where torch lets a module's call be taken over"),
    AllowedStore(
        "engine", "self.structure.model.<setattr>", "the model's own list of blocks is exchanged, and put back"
    ),
    AllowedStore("engine", "self._block.<setattr>", "a stand-in passes on what is written to it"),
    AllowedStore("integrations", "module.forward", "the one place where torch lets a module's call be taken over"),
    AllowedStore("integrations", "self._module.forward", "put back as it was found"),
    AllowedStore("integrations", "module._compiled_call_impl", "torch.compile keeps the compiled call nowhere else"),
    AllowedStore("integrations", "self._module._compiled_call_impl", "put back as it was found"),
    AllowedStore(
        "integrations", "self._module._diffusers_hook", "the registry of diffusers' hooks, left as it was found"
    ),
    AllowedStore("integrations", "self._module._cache_config", "diffusers asks nowhere else whether a cache is on"),
    AllowedStore("integrations", "model._cache_config", "diffusers asks nowhere else whether a cache is on"),
    AllowedStore("integrations", "CacheMixin.<setattr>", "register(): opt-in, docs/decisions/2026-11-18-register.md"),
    AllowedStore("evaluation", "os.environ", "Ray has no other switch to listen on this machine alone"),
    AllowedStore("cli", "bar.total", "tqdm has no call that sets it"),
    AllowedStore("cli", "bar.initial", "tqdm has no call that sets it"),
    AllowedStore("cli", "bar.n", "tqdm has no call that sets it without counting it as speed"),
    AllowedStore("generation", "pipe.progress_bar", "diffusers has no setting for another bar"),
    AllowedStore("cli", "parser.prefix_chars", "argparse makes the subparser; a deprecated command passes all on"),
    AllowedStore("renamed", "sys.modules", "where Python looks for the former submodules of a module that moved"),
    AllowedStore("report", "stream.height", "PyAV takes a stream's settings as attributes"),
    AllowedStore("report", "stream.width", "PyAV takes a stream's settings as attributes"),
    AllowedStore("report", "stream.pix_fmt", "PyAV takes a stream's settings as attributes"),
    AllowedStore("report", "stream.options", "PyAV takes a stream's settings as attributes"),
    AllowedStore(
        "navicache_comfyui", "patched.model_options", "ComfyUI carries nothing else from a node's clone to a run"
    ),
    AllowedStore(
        "navicache_serving", "batch.extra", "SGLang carries nothing else from a loop to its steps; emptied at its end"
    ),
    AllowedStore("navicache_serving", "self._module.forward", "tells the end of a request; put back as it was found"),
)


def filter_allowed_stores(
    stores: Iterable[SourceLocation], source: Path, allowed: tuple[AllowedStore, ...] = ALLOWED_STORES
) -> tuple[list[SourceLocation], list[AllowedStore]]:
    """The stores that are not allowed, and the allowances that no store needs; `source` is the package's folder."""
    refused, needed = [], set()
    known = {(each.package, each.store): each for each in allowed}
    for store in stores:
        each = known.get((_get_package(store.path, source), store.text))
        if each is None:
            refused.append(store)
        needed.add(each)
    return refused, [each for each in allowed if each not in needed]


def _get_package(path: Path, source: Path) -> str:
    if path.is_relative_to(source):
        return path.relative_to(source).parts[0].removesuffix(".py")
    return next((part for part in reversed(path.parts) if part.startswith("navicache_")), path.parent.name)
