"""The temporal half of the VAE: latents of single frames to latents of four frames, and back."""

from collections.abc import Sequence

from diffusers.models.autoencoders.vae import DiagonalGaussianDistribution
from torch import Tensor, nn
from torch.nn import functional


class CausalConv3d(nn.Module):
    """A convolution that sees the past only: zeros are put in front of the first frame."""

    def __init__(self, inner: int, outer: int, kernel: int, stride: int = 1, bias: bool = True) -> None:
        """`stride` is along time; height and width stay as they are."""
        super().__init__()
        self.ahead = (kernel - 1) + (1 - stride)
        padding = (0, kernel // 2, kernel // 2)
        self.conv = nn.Conv3d(inner, outer, kernel, stride=(stride, 1, 1), padding=padding, bias=bias)

    def forward(self, x: Tensor) -> Tensor:
        """(batch, channels, frames, height, width)."""
        return self.conv(functional.pad(x, (0, 0, 0, 0, self.ahead, 0)))


class ResidualBlock(nn.Module):
    """Two convolutions around a skip."""

    def __init__(self, inner: int, outer: int, groups: int) -> None:
        """The skip has a convolution of its own where the channels change."""
        super().__init__()
        self.norm1 = nn.GroupNorm(groups, inner)
        self.conv1 = CausalConv3d(inner, outer, 3, bias=False)
        self.norm2 = nn.GroupNorm(groups, outer)
        self.conv2 = CausalConv3d(outer, outer, 3, bias=False)
        self.conv3 = CausalConv3d(inner, outer, 1, bias=False) if inner != outer else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        """Channels may change, nothing else."""
        hidden = self.conv1(functional.silu(self.norm1(x)))
        hidden = self.conv2(functional.silu(self.norm2(hidden)))
        return hidden + self.conv3(x)


def residual_blocks(inner: int, outer: int, count: int, groups: int) -> nn.ModuleList:
    """`count` blocks in a row; the first changes the channels."""
    return nn.ModuleList([ResidualBlock(outer if i else inner, outer, groups) for i in range(count)])


class Encoder(nn.Module):
    """Frames to fewer frames."""

    def __init__(
        self, channels: int, latent: int, widths: Sequence[int], halves: Sequence[bool], blocks: int, groups: int
    ) -> None:
        """One stage per width; between two stages time may be halved."""
        super().__init__()
        self.conv_in = CausalConv3d(channels, widths[0], 3, bias=False)
        entries = [widths[0], *widths[:-1]]
        self.block_res_blocks = nn.ModuleList(
            [residual_blocks(inner, outer, blocks, groups) for inner, outer in zip(entries, widths, strict=True)]
        )
        self.conv_blocks = nn.ModuleList(
            [
                CausalConv3d(width, width, 3, stride=2) if half else nn.Identity()
                for width, half in zip(widths[:-1], halves, strict=True)
            ]
        )
        self.res_blocks = residual_blocks(widths[-1], widths[-1], blocks, groups)
        self.norm1 = nn.GroupNorm(groups, widths[-1])
        self.conv2 = CausalConv3d(widths[-1], latent, 1)

    def forward(self, x: Tensor) -> Tensor:
        """Frames must be a multiple of the reduction in time."""
        x = self.conv_in(x)
        for stage, shorten in zip(self.block_res_blocks, [*self.conv_blocks, nn.Identity()], strict=True):
            x = shorten(run(stage, x))
        return self.conv2(functional.silu(self.norm1(run(self.res_blocks, x))))


class Decoder(nn.Module):
    """The way back; lists are numbered as in the encoder, so they run from the last to the first."""

    def __init__(
        self, channels: int, latent: int, widths: Sequence[int], doubles: Sequence[bool], blocks: int, groups: int
    ) -> None:
        """One stage per width; between two stages time may be doubled."""
        super().__init__()
        self.conv1 = CausalConv3d(latent, widths[-1], 3)
        self.res_blocks = residual_blocks(widths[-1], widths[-1], blocks, groups)
        entries = [*widths[1:], widths[-1]]
        self.block_res_blocks = nn.ModuleList(
            [residual_blocks(inner, outer, blocks, groups) for inner, outer in zip(entries, widths, strict=True)]
        )
        self.conv_blocks = nn.ModuleList(
            [
                CausalConv3d(width, 2 * width, 3) if double else nn.Identity()
                for width, double in zip(widths[1:], doubles, strict=True)
            ]
        )
        self.doubles = tuple(doubles)
        self.norm1 = nn.GroupNorm(groups, widths[0])
        self.conv_out = CausalConv3d(widths[0], channels, 3)

    def forward(self, x: Tensor) -> Tensor:
        """All frames, those of the padding too."""
        x = run(self.res_blocks, self.conv1(x))
        for index in reversed(range(len(self.block_res_blocks))):
            x = run(self.block_res_blocks[index], x)
            if index and self.doubles[index - 1]:
                x = channels_to_time(self.conv_blocks[index - 1](x))
        return self.conv_out(functional.silu(self.norm1(x)))


def run(blocks: nn.Module, x: Tensor) -> Tensor:
    """One after the other."""
    for block in blocks.children():
        x = block(x)
    return x


def channels_to_time(x: Tensor) -> Tensor:
    """Channel 2c + j of frame t becomes channel c of frame 2t + j."""
    return x.unflatten(1, (-1, 2)).movedim(2, 3).flatten(2, 3)


class TemporalVAE(nn.Module):
    """Four frames to one latent frame, causal in time.

    Args:
        in_out_channels: of the frames, which are latents of the spatial VAE.
        latent_embed_dim: channels between the encoder or decoder and the quantising convolutions.
        embed_dim: channels of the latents.
        filters: width of the first stage; `channel_multipliers` widen the others.
        num_res_blocks: residual blocks of a stage.
        temporal_downsample: after which stages, the last one left out, time is halved.
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
        widths = [filters * multiplier for multiplier in channel_multipliers]
        rest = (widths, temporal_downsample, num_res_blocks, num_groups)
        self.factor, self.channels = 2 ** sum(temporal_downsample), embed_dim
        self.encoder = Encoder(in_out_channels, 2 * latent_embed_dim, *rest)
        self.quant_conv = CausalConv3d(2 * latent_embed_dim, 2 * embed_dim, 1)
        self.post_quant_conv = CausalConv3d(embed_dim, latent_embed_dim, 1)
        self.decoder = Decoder(in_out_channels, latent_embed_dim, *rest)

    def encode(self, x: Tensor) -> DiagonalGaussianDistribution:
        """(batch, channels, frames, height, width); zero frames in front fill up to a multiple of four."""
        padded = functional.pad(x, (0, 0, 0, 0, -x.shape[2] % self.factor, 0))
        return DiagonalGaussianDistribution(self.quant_conv(self.encoder(padded)))

    def decode(self, z: Tensor, num_frames: int) -> Tensor:
        """The last `num_frames` frames but for whole groups of four: what the padding of `encode` made is dropped."""
        return self.decoder(self.post_quant_conv(z))[:, :, -num_frames % self.factor :]

    def forward(self, x: Tensor) -> Tensor:
        """There and back, without noise."""
        return self.decode(self.encode(x).mode(), x.shape[2])
