"""The node that puts the cache on a model."""

from typing import Any

from comfy_api.latest import io

from navicache.models import QUALITIES

from .navicache_comfyui import attach
from .navicache_comfyui.policy_settings import list_whole_model_policies
from .node_inputs import (
    ITS_CHOICE,
    KEEP_DEVICES,
    KEEP_DTYPES,
    MAX_ERROR_TARGET,
    MODELS_OWN,
    POLICY_TARGET,
    QUALITY_CHOICES,
    QUALITY_TARGET,
    SETTINGS_TARGET,
    SPEEDUP_TARGET,
    OfferedQualities,
    build_attach_arguments,
    find_knob_mistake,
    find_target_mistake,
)

DESCRIPTION = (
    "Makes sampling faster: decides at every step whether to run the model or to predict its output. "
    "Put it between the model (after LoRA and shift nodes) and the sampler. One node for every sampler."
)
TARGET_TIP = (
    "What to aim for. speed-up: this many times fewer computed steps. quality: a speed-up by a word. "
    "max error: as fast as this error allows. policy: another method, with other knobs. "
    "settings file: what navicache tune found for this model."
)
SPEEDUP_TIP = "Steps per computed step: at 2, half of the steps are computed. At 1 nothing is cached."
QUALITY_TIP = (
    "lossless is closest to the uncached result, fast computes the fewest steps. These speed-ups were not measured on "
    "your model: navicache tune finds what its words need, for a settings file."
)
ERROR_TIP = "Largest relative error of the model's output at a predicted step. Smaller is more accurate and slower."
POLICY_TIP = "The method that decides. The other targets use inertial."
SETTINGS_TIP = "Path of a file of navicache tune. A run with other steps or sigmas uses inertial; the report says so."
TUNED_TIP = "Which of the file's qualities; its choice is what was searched for."
START_TIP = "Share of the run that is computed before anything is predicted. The speed-up counts from there."
END_TIP = "Share of the run after which everything is computed."
LONGEST_TIP = "Most predictions in a row. 0: no limit."
DEVICE_TIP = "Where kept outputs are. cpu saves GPU memory and waits for a copy at each prediction."
DTYPE_TIP = "What kept outputs are stored in. A smaller type saves memory and is less accurate."
KNOBS_TIP = (
    "Leave empty unless you know the policy. Its knobs as name=value, with a comma between them: "
    "align_steps=4, last_step=false"
)


def build_target_input() -> io.DynamicCombo.Input:
    """Build the target widget, which shows only the input of the chosen target."""
    slider = io.NumberDisplay.slider
    speedup = io.Float.Input(
        "speedup", default=2.0, min=1.0, max=4.0, step=0.05, display_mode=slider, tooltip=SPEEDUP_TIP
    )
    words = OfferedQualities(QUALITY_CHOICES)
    quality = io.Combo.Input("quality", options=words, default=words[1], tooltip=QUALITY_TIP)
    error = io.Float.Input("max_error", default=0.05, min=0.001, max=1.0, step=0.001, tooltip=ERROR_TIP)
    policy = io.Combo.Input("policy", options=list_whole_model_policies(), default="inertial", tooltip=POLICY_TIP)
    widgets = {SPEEDUP_TARGET: speedup, QUALITY_TARGET: quality, MAX_ERROR_TARGET: error, POLICY_TARGET: policy}
    options = [io.DynamicCombo.Option(name, [widget]) for name, widget in widgets.items()]
    path = io.String.Input("settings", default="", tooltip=SETTINGS_TIP)
    word = io.Combo.Input("quality", options=[ITS_CHOICE, *QUALITIES], default=ITS_CHOICE, tooltip=TUNED_TIP)
    options.append(io.DynamicCombo.Option(SETTINGS_TARGET, [path, word]))
    return io.DynamicCombo.Input("target", options=options, tooltip=TARGET_TIP)


def build_limit_inputs() -> list[Any]:
    """Build the widgets that limit where the cache works and what it keeps; all may be left out."""
    return [
        io.Float.Input("start_percent", default=0.0, min=0.0, max=1.0, step=0.01, optional=True, tooltip=START_TIP),
        io.Float.Input("end_percent", default=1.0, min=0.0, max=1.0, step=0.01, optional=True, tooltip=END_TIP),
        io.Int.Input("longest_reuse", default=0, min=0, max=100, optional=True, tooltip=LONGEST_TIP),
        io.Combo.Input("keep_device", options=[*KEEP_DEVICES], default=MODELS_OWN, optional=True, tooltip=DEVICE_TIP),
        io.Combo.Input("keep_dtype", options=[*KEEP_DTYPES], default=MODELS_OWN, optional=True, tooltip=DTYPE_TIP),
    ]


class NaviCache(io.ComfyNode):
    """MODEL in, MODEL out."""

    @classmethod
    def define_schema(cls) -> io.Schema:
        """Define the node's inputs and outputs."""
        return io.Schema(
            node_id="NaviCache",
            display_name="NaviCache",
            category="advanced/model",
            description=DESCRIPTION,
            inputs=[
                io.Model.Input("model", tooltip="The model to speed up. It is not changed: a clone is returned."),
                build_target_input(),
                io.String.Input("knobs", default="", socketless=True, tooltip=KNOBS_TIP),
                *build_limit_inputs(),
            ],
            outputs=[io.Model.Output(tooltip="The model with the cache, for a sampler and for NaviCache Report.")],
        )

    @classmethod
    def validate_inputs(cls, knobs: str = "", *, target: Any = None) -> bool | str:
        """Return an error for a knob that nothing knows, before anything is loaded.

        ComfyUI passes `target` as well, but without its value: `execute` looks at that.
        """
        del target
        return find_knob_mistake(knobs) or True

    @classmethod
    def execute(cls, model: Any, target: dict[str, Any] | None = None, knobs: str = "", **limits: Any) -> io.NodeOutput:
        """Patch a clone. ComfyUI leaves out a target that the node does not have; over its API anything may come."""
        if mistake := find_target_mistake(target):
            raise ValueError(mistake)
        return io.NodeOutput(attach(model, **build_attach_arguments(target or {}, knobs, **limits)))
