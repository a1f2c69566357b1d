"""Which arguments of a model's call are the latent, the time and the conditioning."""

from dataclasses import dataclass

ArgumentKey = str | int


@dataclass(frozen=True)
class CallSpec:
    """Where the latent, the time, the conditioning and the output of a denoiser are.

    A key is an argument's name or position. None finds the argument by the usual names, which is enough for every
    diffusers transformer and for the official Wan and HunyuanVideo code.

    Example:
        >>> CallSpec(latent="img", time="sigma", conditioning=("txt", "vec"), output="velocity").latent
        'img'
    """

    latent: ArgumentKey | None = None  # a tensor with the batch first, or a list of tensors, one per sample
    time: ArgumentKey | None = None
    conditioning: tuple[ArgumentKey, ...] | None = None  # what differs between prompts and guidance branches
    output: ArgumentKey | None = None  # key or position in the returned container; None: its first tensor
    channel_dim: int | None = None  # of the batched latent; None: 1, or the last one of (batch, tokens, channels)
    other_latents: tuple[ArgumentKey, ...] | None = None  # those of further outputs; None: by the usual names


# Arguments of the whole call, regardless of their length: positions, layers, one scale per layer.
SHARED_ARGUMENT_NAMES = ("txt_ids", "img_ids", "skip_layers", "control_hidden_states_scale")
PER_SAMPLE_ARGUMENT_NAMES = ("img_shapes", "txt_seq_lens")  # lists of plain values, one entry per sample
LATENT_ARGUMENT_NAMES = (
    *("hidden_states", "sample", "x", "latent", "latents", "latent_model_input", "img", "x_video", "vision_tokens"),
)
TIME_ARGUMENT_NAMES = (
    *("timestep", "timesteps", "t", "time", "sigma", "sigmas", "timestep_ratio", "r", "vision_timesteps"),
)
# A second latent and its time: it may move while the first is frozen.
OTHER_LATENT_ARGUMENT_NAMES = ("audio_hidden_states", "audio_latents", "x_audio", "sound_tokens", "action_tokens")
OTHER_TIME_ARGUMENT_NAMES = ("audio_timestep", "sound_timesteps", "action_timesteps")
CONDITIONING_ARGUMENT_NAMES = (
    *("encoder_hidden_states", "encoder_hidden_states_image", "encoder_hidden_states_2", "pooled_projections"),
    *("prompt_embeds", "context", "clip_fea", "text_states", "text_states_2", "cap_feats", "clip_text"),
    *("clip_text_pooled", "clip_img", "text_embed", "pooled_text_embed", "class_labels", "y"),
)
