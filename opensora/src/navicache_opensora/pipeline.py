"""Open-Sora 1.2: text, images and videos to video."""

from collections.abc import Sequence
from typing import Any

import torch
from diffusers.pipelines.pipeline_utils import DiffusionPipeline
from torch import Tensor
from transformers import PreTrainedTokenizerBase, T5EncoderModel

from navicache_opensora.generation import GenerationInputs, StepCallback, generate_video
from navicache_opensora.inputs import (
    ReferenceInputs,
    SamplingSettings,
    VideoRequest,
    build_requests,
    build_video_spec,
    check_latents,
    list_generators,
)
from navicache_opensora.masks import DEFAULT_ALIGN
from navicache_opensora.output import OpenSoraPipelineOutput, format_frames
from navicache_opensora.pipeline_loading import OpenSoraLoaderMixin
from navicache_opensora.prompts import PromptScores, select_segment
from navicache_opensora.scheduler import RectifiedFlowScheduler
from navicache_opensora.text import TextEmbeds, check_prompt_embeds, encode_tokens, tokenize_prompts
from navicache_opensora.transformer import STDiT3Transformer
from navicache_opensora.vae import AutoencoderOpenSora


class OpenSoraPipeline(OpenSoraLoaderMixin, DiffusionPipeline):
    """Generates videos with Open-Sora 1.2; without a text encoder it takes `prompt_embeds` instead of prompts.

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
        """Register the components; tokenizer and text encoder may be None."""
        super().__init__()
        self.register_modules(
            tokenizer=tokenizer, text_encoder=text_encoder, transformer=transformer, vae=vae, scheduler=scheduler
        )
        self._interrupt, self._num_timesteps, self._guidance_scale = False, 0, 1.0

    @property
    def num_timesteps(self) -> int:
        """The number of steps of the current run."""
        return self._num_timesteps

    @property
    def guidance_scale(self) -> float:
        """The guidance scale of the current run."""
        return self._guidance_scale

    @property
    def do_classifier_free_guidance(self) -> bool:
        """Whether the transformer is called with two guidance branches."""
        return self._guidance_scale != 1

    @property
    def interrupt(self) -> bool:
        """Whether a callback has asked to stop the run."""
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
        align: int | None = DEFAULT_ALIGN,
        num_loops: int = 1,
        num_videos_per_prompt: int = 1,
        generator: torch.Generator | list[torch.Generator] | None = None,
        latents: Tensor | None = None,
        prompt_embeds: Tensor | None = None,
        prompt_attention_mask: Tensor | None = None,
        output_type: str = "pil",
        return_dict: bool = True,
        callback_on_step_end: StepCallback | None = None,
        callback_on_step_end_tensor_inputs: Sequence[str] = ("latents",),
    ) -> OpenSoraPipelineOutput | tuple[Any]:
        """Generate videos.

        Args:
            prompt: the text; `|0| ... |1| ...` changes it in the loops of a long video.
            resolution: "144p" to "4k", with `aspect_ratio`.
            aspect_ratio: height to width, so "9:16" is landscape.
            height: in pixels, with `width`, instead of the two above.
            width: in pixels.
            num_frames: 1, or 17 and more; or "2s", "4s", "8s", "16s", "32s".
            num_inference_steps: denoising steps.
            guidance_scale: of classifier-free guidance; 1 runs the conditional branch only.
            fps: frames per second that the model is conditioned on; images always have 120.
            aesthetic_score: appended to the prompt, like `motion_score` and `camera_motion`; None appends nothing.
            motion_score: how much motion there is.
            camera_motion: for instance "pan left".
            clean_caption: clean the prompt like the training captions.
            references: images or videos to start from; for a list of prompts, one list for each.
            mask_strategy: where the references go, see `navicache_opensora.masks`; a single one is the first frame.
            align: starts in the mask strategy are moved to multiples of so many latent frames.
            num_loops: clips of a long video, each of which continues the last 17 frames of the clip before.
            num_videos_per_prompt: videos of each prompt.
            generator: random generator of the noise; one, or one for each video.
            latents: the initial noise of the first loop.
            prompt_embeds: (batch, tokens, channels), instead of `prompt`.
            prompt_attention_mask: (batch, tokens), 1 at real tokens.
            output_type: "pil", "np", "pt" or "latent".
            return_dict: return an output with `frames`, not a tuple.
            callback_on_step_end: called as callback(pipe, step, timestep, {"latents": ...}); may return latents.
            callback_on_step_end_tensor_inputs: tensors that the callback gets; only "latents" is available.
        """
        if list(callback_on_step_end_tensor_inputs) not in ([], ["latents"]):
            raise ValueError("callbacks get the latents: callback_on_step_end_tensor_inputs=['latents']")
        video = build_video_spec(resolution, aspect_ratio, (height, width), num_frames, fps)
        settings = SamplingSettings(
            num_inference_steps, guidance_scale, num_loops, output_type, align, num_videos_per_prompt
        )
        settings.check(video)
        given = self._check_text(prompt, prompt_embeds, prompt_attention_mask)
        requests = build_requests(
            prompt,
            ReferenceInputs(references, mask_strategy),
            video,
            scores=PromptScores(aesthetic_score, motion_score, camera_motion),
            num_embeds=len(given.embeds) if given else 0,
            clean_caption=clean_caption,
        )
        rows = [request for request in requests for _ in range(num_videos_per_prompt)]
        generators = list_generators(generator, len(rows))
        check_latents(latents, (len(rows), self.transformer.config["in_channels"], *video.latent_size))
        self._interrupt, self._num_timesteps, self._guidance_scale = False, num_inference_steps, guidance_scale
        texts = [given] * num_loops if given else self._encode_requests(requests, num_loops)
        texts = [text.repeat_each(num_videos_per_prompt) for text in texts]
        generated = generate_video(
            self, GenerationInputs(video, settings, rows, texts, generators, latents, callback_on_step_end)
        )
        frames = generated if output_type == "latent" else format_frames(generated, output_type)
        self.maybe_free_model_hooks()
        return OpenSoraPipelineOutput(frames=frames) if return_dict else (frames,)

    @torch.no_grad()
    def encode_prompt(self, prompts: Sequence[str]) -> TextEmbeds:
        """Hidden states and mask of prompts, without appending scores or cleaning."""
        if self.tokenizer is None or self.text_encoder is None:
            raise ValueError("this pipeline has no text encoder: load one, or pass prompt_embeds")
        tokens = tokenize_prompts(self.tokenizer, prompts, self.transformer.config["model_max_length"])
        return encode_tokens(self.text_encoder, tokens, self._execution_device)

    def _encode_requests(self, requests: Sequence[VideoRequest], loops: int) -> list[TextEmbeds]:
        """The text of every loop; all are encoded in one call, so that the text encoder can be offloaded after it."""
        prompts = [select_segment(request.segments, loop) for loop in range(loops) for request in requests]
        unique = list(dict.fromkeys(prompts))
        text = self.encode_prompt(unique)
        order = torch.tensor([unique.index(prompt) for prompt in prompts], device=text.mask.device)
        return [TextEmbeds(text.embeds[rows], text.mask[rows]) for rows in order.split(len(requests))]

    def _check_text(self, prompt: Any, embeds: Tensor | None, mask: Tensor | None) -> TextEmbeds | None:
        if (prompt is None) == (embeds is None):
            raise ValueError("pass either prompt or prompt_embeds")
        if embeds is None:
            return None
        config = self.transformer.config
        return check_prompt_embeds(embeds, mask, config["model_max_length"], config["caption_channels"])
