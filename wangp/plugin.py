"""WanGP's entry point: puts the cache in front of every model that WanGP loads, and its settings into the main form."""

from typing import Any

from shared.utils.plugins import WAN2GPPlugin  # pyright: ignore[reportMissingImports]

from .cached_model import CachedModel
from .panel import build_panel
from .run_settings import parse_settings

LOADER, LOADED_MODEL = "load_models", "wan_model"  # globals of WanGP
PANEL_PLACE = "loras_multipliers"  # the component that the panel stands behind
METADATA_HOOK, METADATA_KEY = "before_metadata_save", "navicache"


class NaviCachePlugin(WAN2GPPlugin):
    """The extension; off until the panel says otherwise."""

    def __init__(self) -> None:
        """Keep the settings of the panel, and the summary of the newest generation."""
        super().__init__()
        self.name = "NaviCache"
        self.settings: dict[str, Any] | None = None
        self.summary = ""

    def setup_ui(self) -> None:
        """Ask WanGP for its loader, and for a word before it saves a video's metadata."""
        self.request_global(LOADER)
        self.request_global(LOADED_MODEL)
        self.register_data_hook(METADATA_HOOK, self.add_metadata)

    def post_ui_setup(self, components: dict[str, Any]) -> dict[Any, Any]:
        """Wrap the loader, and the model that is loaded already."""
        load_models, loaded = getattr(self, LOADER, None), getattr(self, LOADED_MODEL, None)
        if load_models is None:
            print(f"[navicache] off: this WanGP has no {LOADER}; docs/how-to/wangp.md names the tested version")
            return {}

        def load_cached_models(*args: Any, **kwargs: Any) -> Any:
            model, *others = load_models(*args, **kwargs)
            self.cache(model)
            return (model, *others)

        self.set_global(LOADER, load_cached_models)
        if loaded is not None:
            self.cache(loaded)
        self.insert_after(PANEL_PLACE, lambda: build_panel(self.set_settings))
        return {}

    def cache(self, model: Any) -> None:
        """Put the cache in front of a model's generations; each takes the settings of that moment."""
        CachedModel(model, lambda: self.settings, self.report)

    def set_settings(self, choice: str, text: str) -> None:
        """Take what the panel says; ValueError for settings that no generation could use."""
        self.settings = None  # also if what follows is wrong: nothing is cached by settings that nobody sees
        self.settings = parse_settings(choice, text)

    def report(self, summary: str) -> None:
        """Say what a generation came to, where WanGP says the like, and keep it for the metadata."""
        self.summary = summary
        if summary:
            print(f"[navicache] {summary}")

    def add_metadata(self, configs: dict[str, Any], **_: Any) -> dict[str, Any]:
        """Add the summary to the metadata of a video."""
        return {**configs, METADATA_KEY: self.summary} if self.summary else configs
