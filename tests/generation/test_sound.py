"""The sound of a pipeline's output, by the parts that make it."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from diffusers.pipelines.ltx2 import LTX2Vocoder

from navicache.evaluation.sound import Sound
from navicache.generation.media import split_samples
from navicache.generation.sound import find_sound_rate, pair_sounds, split_sounds

SMALL = {"in_channels": 4, "hidden_channels": 8, "upsample_kernel_sizes": [4], "upsample_factors": [2]}


class MMAudioVocoder:
    """The vocoder of Kandinsky 6, by its name; its rate is the audio autoencoder's."""


def pipe(**parts):
    return SimpleNamespace(components=parts)


def ltx2():
    return pipe(vocoder=LTX2Vocoder(**SMALL, output_sampling_rate=24000))


def test_each_kind_says_its_rate_elsewhere():
    assert find_sound_rate(ltx2()) == 24000
    audio_vae = SimpleNamespace(config={"sample_rate": 44100})
    assert find_sound_rate(pipe(vocoder=MMAudioVocoder(), audio_vae=audio_vae)) == 44100
    assert find_sound_rate(pipe()) is None
    assert find_sound_rate(pipe(vocoder=object())) is None, "pipelines of sound alone have other vocoders"


@pytest.mark.parametrize("shape", [(2, 2, 50), (2, 50)], ids=["stereo", "mono"])
def test_each_video_has_its_own_sound(shape):
    audio = torch.rand(shape, dtype=torch.bfloat16)
    videos = np.zeros((2, 3, 8, 8, 3))
    made = split_samples(videos, split_sounds(ltx2(), (videos, audio)))
    for media, samples in zip(made, audio, strict=True):
        assert media.sound is not None and media.sound.rate == 24000 and media.sound.samples.dtype == np.float32
        assert np.array_equal(media.sound.samples, np.atleast_2d(samples.float().numpy()))


def test_no_sound():
    videos = np.zeros((1, 3, 8, 8, 3))
    assert split_sounds(pipe(), (videos,)) is None
    assert split_sounds(ltx2(), (videos, None)) is None, "Kandinsky 6 was asked for none"
    assert pair_sounds(None, None) is None


def test_a_pair():
    sound = Sound(np.zeros((1, 9)), 8000)
    assert pair_sounds(sound, sound) == (sound, sound)
