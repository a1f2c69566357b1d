"""Open-Sora 1.2: text, images and videos to video."""

from collections.abc import Sequence
from typing import Any

import torch
from diffusers.pipelines.pipeline_utils import DiffusionPipeline
from torch import Tensor
from transformers import PreTrainedTokenizerBase, T5EncoderModel

from navicache_opensora.generation import Callback, Plan, generate
from navicache_opensora.inputs import Extras, Scene, Settings, check_generators, check_latents, plan_video, read_scenes
from navicache_opensora.masks import ALIGN
from navicache_opensora.output import OpenSoraPipelineOutput, present
from navicache_opensora.pipeline_loading import OpenSoraLoaderMixin
from navicache_opensora.prompts import Scores, prompt_of
from navicache_opensora.scheduler import RectifiedFlowScheduler
from navicache_opensora.text import Text, check_embeds, encode, tokenise
from navicache_opensora.transformer import STDiT3Transformer
from navicache_opensora.vae import AutoencoderOpenSora


class OpenSoraPipeline(OpenSoraLoaderMixin, DiffusionPipeline):
    """Makes videos with STDiT3; without tokenizer and text encoder it takes prompts that are encoded already.

    Example:
        pipe = OpenSoraPipeline.from_pretrained(folder, dtype=torch.bfloat16).to("cuda")
        frames = pipe("a boat on the Seine", resolution="480p", aspect_ratio="9:16", num_frames="2s").frames[0]
    """

    model_cpu_offload_seq = "text_encoder->transformer->vae"
    _optional_components = ["tokenizer", "text_encoder"]
    _callback_tensor_inputs = ["latents"]

    tokenizer: Any
    text_encoder: Any
    transformer: STDiT3Transformer
    vae: AutoencoderOpenSora
    scheduler: RectifiedFlowScheduler

    def __init__(
        self,
        tokenizer: PreTrainedTokenizerBase | None,
        text_encoder: T5EncoderModel | None,
        transformer: STDiT3Transformer,
        vae: AutoencoderOpenSora,
        scheduler: RectifiedFlowScheduler,
    ) -> None:
        """Put the parts together."""
        super().__init__()
        self.register_modules(
            tokenizer=tokenizer, text_encoder=text_encoder, transformer=transformer, vae=vae, scheduler=scheduler
        )
        self._interrupt, self._num_timesteps, self._guidance_scale = False, 0, 1.0

    @property
    def num_timesteps(self) -> int:
        """Steps of the run."""
        return self._num_timesteps

    @property
    def guidance_scale(self) -> float:
        """Weight of the prompt in this run."""
        return self._guidance_scale

    @property
    def do_classifier_free_guidance(self) -> bool:
        """Whether the transformer is called with two branches."""
        return self._guidance_scale != 1

    @property
    def interrupt(self) -> bool:
        """Set by a callback to stop the run."""
        return self._interrupt

    @torch.no_grad()
    def __call__(
        self,
        prompt: str | Sequence[str] | None = None,
        resolution: str = "480p",
        aspect_ratio: str = "9:16",
        height: int | None = None,
        width: int | None = None,
        num_frames: int | str = 51,
        num_inference_steps: int = 30,
        guidance_scale: float = 7.0,
        fps: float = 24,
        aesthetic_score: float | None = 6.5,
        motion_score: float | None = None,
        camera_motion: str | None = None,
        clean_caption: bool = True,
        references: Sequence[Any] | None = None,
        mask_strategy: str | Sequence[str] | None = None,
        align: int | None = ALIGN,
        num_loops: int = 1,
        num_videos_per_prompt: int = 1,
        generator: torch.Generator | list[torch.Generator] | None = None,
        latents: Tensor | None = None,
        prompt_embeds: Tensor | None = None,
        prompt_attention_mask: Tensor | None = None,
        output_type: str = "pil",
        return_dict: bool = True,
        callback_on_step_end: Callback | None = None,
        callback_on_step_end_tensor_inputs: Sequence[str] = ("latents",),
    ) -> OpenSoraPipelineOutput | tuple[Any]:
        """Make videos.

        Args:
            prompt: what to show; `|0| ... |1| ...` changes the text in the parts of a long video.
            resolution: "144p" to "4k", with `aspect_ratio`.
            aspect_ratio: height to width, so "9:16" is landscape.
            height: in pixels, with `width`, in place of the two above.
            width: in pixels.
            num_frames: 1, or 17 and more; or "2s", "4s", "8s", "16s", "32s".
            num_inference_steps: denoising steps.
            guidance_scale: weight of the prompt; 1 runs one branch only.
            fps: what the model is told; an image is told 120.
            aesthetic_score: said at the end of the prompt, as `motion_score` and `camera_motion`; None says nothing.
            motion_score: how much moves.
            camera_motion: for instance "pan left".
            clean_caption: clean the prompt as the training data was.
            references: images or videos to start from; for a list of prompts, one list for each.
            mask_strategy: where the references go, see `navicache_opensora.masks`; one reference is the first frame.
            align: latent frames that starts in the strategy are moved to multiples of.
            num_loops: parts of a long video, each going on from the last 17 frames of the one before.
            num_videos_per_prompt: videos of each prompt.
            generator: of the noise; one, or one for each video.
            latents: the noise itself, of the first part.
            prompt_embeds: (batch, tokens, channels), in place of `prompt`.
            prompt_attention_mask: (batch, tokens), 1 at real tokens.
            output_type: "pil", "np", "pt" or "latent".
            return_dict: hand back an output with `frames`, not a tuple.
            callback_on_step_end: called as callback(pipe, step, timestep, {"latents": ...}); may hand back latents.
            callback_on_step_end_tensor_inputs: what the callback gets; "latents" is all there is.
        """
        if list(callback_on_step_end_tensor_inputs) not in ([], ["latents"]):
            raise ValueError("callbacks get the latents: callback_on_step_end_tensor_inputs=['latents']")
        video = plan_video(resolution, aspect_ratio, (height, width), num_frames, fps)
        settings = Settings(num_inference_steps, guidance_scale, num_loops, output_type, align, num_videos_per_prompt)
        settings.check(video)
        given = self._given_text(prompt, prompt_embeds, prompt_attention_mask)
        scenes = read_scenes(
            prompt,
            Extras(references, mask_strategy),
            video,
            scores=Scores(aesthetic_score, motion_score, camera_motion),
            rows=len(given.embeds) if given else 0,
            cleaned=clean_caption,
        )
        rows = [scene for scene in scenes for _ in range(num_videos_per_prompt)]
        generators = check_generators(generator, len(rows))
        check_latents(latents, (len(rows), self.transformer.config["in_channels"], *video.latents))
        self._interrupt, self._num_timesteps, self._guidance_scale = False, num_inference_steps, guidance_scale
        texts = [given] * num_loops if given else self._encode(scenes, num_loops)
        texts = [text.repeated(num_videos_per_prompt) for text in texts]
        made = generate(self, Plan(video, settings, rows, texts, generators, latents, callback_on_step_end))
        frames = made if output_type == "latent" else present(made, output_type)
        self.maybe_free_model_hooks()
        return OpenSoraPipelineOutput(frames=frames) if return_dict else (frames,)

    @torch.no_grad()
    def encode_prompt(self, prompts: Sequence[str]) -> Text:
        """States and mask of prompts as they are: without scores, not cleaned."""
        if self.tokenizer is None or self.text_encoder is None:
            raise ValueError("this pipeline has no text encoder: load one, or pass prompt_embeds")
        tokens = tokenise(self.tokenizer, prompts, self.transformer.config["model_max_length"])
        return encode(self.text_encoder, tokens, self._execution_device)

    def _encode(self, scenes: Sequence[Scene], loops: int) -> list[Text]:
        """The text of every part; all are encoded in one call, so that the encoder can be put away after it."""
        prompts = [prompt_of(scene.parts, loop) for loop in range(loops) for scene in scenes]
        different = list(dict.fromkeys(prompts))
        text = self.encode_prompt(different)
        order = torch.tensor([different.index(prompt) for prompt in prompts], device=text.mask.device)
        return [Text(text.embeds[rows], text.mask[rows]) for rows in order.split(len(scenes))]

    def _given_text(self, prompt: Any, embeds: Tensor | None, mask: Tensor | None) -> Text | None:
        if (prompt is None) == (embeds is None):
            raise ValueError("pass either prompt or prompt_embeds")
        if embeds is None:
            return None
        config = self.transformer.config
        return check_embeds(embeds, mask, config["model_max_length"], config["caption_channels"])
