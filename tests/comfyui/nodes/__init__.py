"""Nodes for the end-to-end tests: load the embedded Wan, read a prompt, decode a video, count evaluations."""

from comfy_api.latest import ComfyExtension, io

from . import pocket
from .counter import PocketCount, PocketCounter


class PocketModel(io.ComfyNode):
    """The embedded Wan's transformer."""

    @classmethod
    def define_schema(cls) -> io.Schema:
        return io.Schema(node_id="PocketModel", category="navicache/tests", outputs=[io.Model.Output()])

    @classmethod
    def execute(cls) -> io.NodeOutput:
        return io.NodeOutput(pocket.load_model())


class PocketText(io.ComfyNode):
    """A prompt, as the embedded Wan reads it."""

    @classmethod
    def define_schema(cls) -> io.Schema:
        return io.Schema(
            node_id="PocketText",
            category="navicache/tests",
            inputs=[io.String.Input("prompt", default="", multiline=True)],
            outputs=[io.Conditioning.Output()],
        )

    @classmethod
    def execute(cls, prompt: str) -> io.NodeOutput:
        return io.NodeOutput([[pocket.encode(prompt), {}]])


class PocketDecode(io.ComfyNode):
    """Latents as frames."""

    @classmethod
    def define_schema(cls) -> io.Schema:
        return io.Schema(
            node_id="PocketDecode",
            category="navicache/tests",
            inputs=[io.Latent.Input("samples")],
            outputs=[io.Image.Output()],
        )

    @classmethod
    def execute(cls, samples: dict) -> io.NodeOutput:
        return io.NodeOutput(pocket.decode(samples["samples"]))


class PocketNodes(ComfyExtension):
    """All of them."""

    async def get_node_list(self) -> list[type[io.ComfyNode]]:
        return [PocketModel, PocketText, PocketDecode, PocketCounter, PocketCount]


async def comfy_entrypoint() -> PocketNodes:
    return PocketNodes()
