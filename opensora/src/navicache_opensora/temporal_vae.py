"""The temporal VAE: latents of single frames to latents of four frames, and back."""

from collections.abc import Sequence

from diffusers.models.autoencoders.vae import DiagonalGaussianDistribution
from torch import Tensor, nn
from torch.nn import functional


class CausalConv3d(nn.Module):
    """A convolution that is causal in time: zeros are padded in front of the first frame."""

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: int, stride: int = 1, bias: bool = True
    ) -> None:
        """`stride` is along time only; height and width do not change."""
        super().__init__()
        self.time_padding = (kernel_size - 1) + (1 - stride)
        padding = (0, kernel_size // 2, kernel_size // 2)
        self.conv = nn.Conv3d(in_channels, out_channels, kernel_size, stride=(stride, 1, 1), padding=padding, bias=bias)

    def forward(self, x: Tensor) -> Tensor:
        """(batch, channels, frames, height, width)."""
        return self.conv(functional.pad(x, (0, 0, 0, 0, self.time_padding, 0)))


class ResidualBlock(nn.Module):
    """Two convolutions and a skip connection."""

    def __init__(self, in_channels: int, out_channels: int, groups: int) -> None:
        """The skip connection has a convolution only if the number of channels changes."""
        super().__init__()
        self.norm1 = nn.GroupNorm(groups, in_channels)
        self.conv1 = CausalConv3d(in_channels, out_channels, 3, bias=False)
        self.norm2 = nn.GroupNorm(groups, out_channels)
        self.conv2 = CausalConv3d(out_channels, out_channels, 3, bias=False)
        self.conv3 = (
            CausalConv3d(in_channels, out_channels, 1, bias=False) if in_channels != out_channels else nn.Identity()
        )

    def forward(self, x: Tensor) -> Tensor:
        """Only the number of channels may change."""
        hidden = self.conv1(functional.silu(self.norm1(x)))
        hidden = self.conv2(functional.silu(self.norm2(hidden)))
        return hidden + self.conv3(x)


def build_residual_blocks(in_channels: int, out_channels: int, count: int, groups: int) -> nn.ModuleList:
    """`count` blocks in sequence; the first changes the number of channels."""
    return nn.ModuleList(
        [ResidualBlock(out_channels if i else in_channels, out_channels, groups) for i in range(count)]
    )


def build_stages(
    in_channels: Sequence[int], out_channels: Sequence[int], num_blocks: int, groups: int
) -> nn.ModuleList:
    """One stage of `num_blocks` residual blocks for each pair of channels."""
    pairs = zip(in_channels, out_channels, strict=True)
    return nn.ModuleList([build_residual_blocks(first, second, num_blocks, groups) for first, second in pairs])


class TemporalEncoder(nn.Module):
    """Encodes frames to fewer latent frames."""

    def __init__(
        self,
        channels: int,
        latent_channels: int,
        stage_channels: Sequence[int],
        downsample: Sequence[bool],
        num_blocks: int,
        groups: int,
    ) -> None:
        """One stage per entry of `stage_channels`; `downsample` says where time is halved between two stages."""
        super().__init__()
        self.conv_in = CausalConv3d(channels, stage_channels[0], 3, bias=False)
        previous = [stage_channels[0], *stage_channels[:-1]]
        self.block_res_blocks = build_stages(previous, stage_channels, num_blocks, groups)
        self.conv_blocks = nn.ModuleList(
            [
                CausalConv3d(channels, channels, 3, stride=2) if halved else nn.Identity()
                for channels, halved in zip(stage_channels[:-1], downsample, strict=True)
            ]
        )
        self.res_blocks = build_residual_blocks(stage_channels[-1], stage_channels[-1], num_blocks, groups)
        self.norm1 = nn.GroupNorm(groups, stage_channels[-1])
        self.conv2 = CausalConv3d(stage_channels[-1], latent_channels, 1)

    def forward(self, x: Tensor) -> Tensor:
        """The number of frames must be a multiple of the temporal compression."""
        x = self.conv_in(x)
        for stage, shorten in zip(self.block_res_blocks, [*self.conv_blocks, nn.Identity()], strict=True):
            x = shorten(run_blocks(stage, x))
        return self.conv2(functional.silu(self.norm1(run_blocks(self.res_blocks, x))))


class TemporalDecoder(nn.Module):
    """Decodes latent frames; its lists are numbered as in the encoder, so they run from the last to the first."""

    def __init__(
        self,
        channels: int,
        latent_channels: int,
        stage_channels: Sequence[int],
        upsample: Sequence[bool],
        num_blocks: int,
        groups: int,
    ) -> None:
        """One stage per entry of `stage_channels`; `upsample` says where time is doubled between two stages."""
        super().__init__()
        self.conv1 = CausalConv3d(latent_channels, stage_channels[-1], 3)
        self.res_blocks = build_residual_blocks(stage_channels[-1], stage_channels[-1], num_blocks, groups)
        previous = [*stage_channels[1:], stage_channels[-1]]
        self.block_res_blocks = build_stages(previous, stage_channels, num_blocks, groups)
        self.conv_blocks = nn.ModuleList(
            [
                CausalConv3d(channels, 2 * channels, 3) if doubled else nn.Identity()
                for channels, doubled in zip(stage_channels[1:], upsample, strict=True)
            ]
        )
        self.upsample = tuple(upsample)
        self.norm1 = nn.GroupNorm(groups, stage_channels[0])
        self.conv_out = CausalConv3d(stage_channels[0], channels, 3)

    def forward(self, x: Tensor) -> Tensor:
        """All frames, including those of the padding."""
        x = run_blocks(self.res_blocks, self.conv1(x))
        for index in reversed(range(len(self.block_res_blocks))):
            x = run_blocks(self.block_res_blocks[index], x)
            if index and self.upsample[index - 1]:
                x = move_channels_to_frames(self.conv_blocks[index - 1](x))
        return self.conv_out(functional.silu(self.norm1(x)))


def run_blocks(blocks: nn.Module, x: Tensor) -> Tensor:
    """Apply blocks one after the other."""
    for block in blocks.children():
        x = block(x)
    return x


def move_channels_to_frames(x: Tensor) -> Tensor:
    """Channel 2c + j of frame t becomes channel c of frame 2t + j."""
    return x.unflatten(1, (-1, 2)).movedim(2, 3).flatten(2, 3)


class TemporalVAE(nn.Module):
    """Encodes four frames to one latent frame, causal in time.

    Args:
        in_out_channels: channels of the frames, which are latents of the spatial VAE.
        latent_embed_dim: channels between the encoder or decoder and the quantisation convolutions.
        embed_dim: channels of the latents.
        filters: channels of the first stage, multiplied by `channel_multipliers` in each stage.
        num_res_blocks: residual blocks of a stage.
        temporal_downsample: whether time is halved after each stage but the last.
        num_groups: of the group norms.
    """

    def __init__(
        self,
        in_out_channels: int = 4,
        latent_embed_dim: int = 4,
        embed_dim: int = 4,
        filters: int = 128,
        num_res_blocks: int = 4,
        channel_multipliers: Sequence[int] = (1, 2, 2, 4),
        temporal_downsample: Sequence[bool] = (False, True, True),
        num_groups: int = 32,
    ) -> None:
        """Random weights."""
        super().__init__()
        stage_channels = [filters * multiplier for multiplier in channel_multipliers]
        rest = (stage_channels, temporal_downsample, num_res_blocks, num_groups)
        self.temporal_compression_ratio, self.latent_channels = 2 ** sum(temporal_downsample), embed_dim
        self.encoder = TemporalEncoder(in_out_channels, 2 * latent_embed_dim, *rest)
        self.quant_conv = CausalConv3d(2 * latent_embed_dim, 2 * embed_dim, 1)
        self.post_quant_conv = CausalConv3d(embed_dim, latent_embed_dim, 1)
        self.decoder = TemporalDecoder(in_out_channels, latent_embed_dim, *rest)

    def encode(self, x: Tensor) -> DiagonalGaussianDistribution:
        """(batch, channels, frames, height, width); zero frames are padded in front, to a multiple of four."""
        padded = functional.pad(x, (0, 0, 0, 0, -x.shape[2] % self.temporal_compression_ratio, 0))
        return DiagonalGaussianDistribution(self.quant_conv(self.encoder(padded)))

    def decode(self, z: Tensor, num_frames: int) -> Tensor:
        """Decode to `num_frames` frames; those that come from the padding of `encode` are dropped."""
        return self.decoder(self.post_quant_conv(z))[:, :, -num_frames % self.temporal_compression_ratio :]

    def forward(self, x: Tensor) -> Tensor:
        """Encode and decode, with the mean of the posterior."""
        return self.decode(self.encode(x).mode(), x.shape[2])
