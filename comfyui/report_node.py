"""The node that reports the last sampling run."""

from typing import Any

from comfy_api.latest import io, ui

from .navicache_comfyui import last_run
from .trace_image import draw_runs

DESCRIPTION = (
    "Shows which steps of the last run were computed and which were predicted, and the predicted error. "
    "Connect the model that went into the sampler, and the sampler's output."
)
NOTHING_CACHED = (
    "nothing was cached: the speed-up is 1, or this model has not been sampled with a NaviCache node before the sampler"
)
AFTER_TIP = "The sampler's output (a latent, image or video). It passes through, so that the report runs after it."


class NaviCacheReport(io.ComfyNode):
    """The strip of steps and the error as an IMAGE, the summary as a STRING."""

    @classmethod
    def define_schema(cls) -> io.Schema:
        """Define the node's inputs and outputs."""
        kind = io.MatchType.Template("after", allowed_types=[io.Latent, io.Image, io.Video])
        return io.Schema(
            node_id="NaviCacheReport",
            display_name="NaviCache Report",
            category="advanced/model",
            description=DESCRIPTION,
            is_output_node=True,
            inputs=[
                io.Model.Input("model", tooltip="The model that NaviCache returned and the sampler was given."),
                io.MatchType.Input("after", template=kind, tooltip=AFTER_TIP),
            ],
            outputs=[
                io.MatchType.Output(
                    template=kind, id="passed", display_name="after", tooltip="What came in, unchanged."
                ),
                io.Image.Output(id="picture", display_name="picture", tooltip="The steps and the error as a picture."),
                io.String.Output(
                    id="summary", display_name="summary", tooltip="The same in words: see Preview as Text."
                ),
            ],
        )

    @classmethod
    def execute(cls, model: Any, after: Any) -> io.NodeOutput:
        """Read the report of the run that made `after`."""
        report = last_run(model)
        picture = draw_runs(() if report is None else report.trace.runs)
        summary = NOTHING_CACHED if report is None else report.summary
        return io.NodeOutput(after, picture, summary, ui=ui.PreviewImage(picture, cls=cls))
