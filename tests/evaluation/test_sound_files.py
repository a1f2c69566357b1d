"""Sound out of videos and of sound files."""

import wave

import av
import numpy as np
import pytest
from tests.evaluation.sounds import RATE, hiss, tone, write_sound

from navicache.evaluation.sound import Sound, audio_snr
from navicache.evaluation.sound_files import read_sound
from navicache.report.video import save_video

FRAMES = np.full((4, 32, 32, 3), 0.5)


def save_wave(sound: Sound, path) -> None:
    with wave.open(str(path), "wb") as file:
        file.setparams((len(sound.samples), 2, sound.rate, 0, "NONE", ""))
        file.writeframes((sound.samples.T * 32767).round().astype("<i2").tobytes())


@pytest.mark.parametrize("sound", [tone(), hiss(), Sound(tone().samples[:1], 24000)], ids=["tone", "hiss", "mono"])
def test_a_wave_is_read_to_the_last_bit(sound, tmp_path):
    save_wave(sound, tmp_path / "a.wav")
    found = read_sound(tmp_path / "a.wav")
    assert found is not None and found.rate == sound.rate and found.samples.shape == sound.samples.shape
    assert np.abs(found.samples - sound.samples).max() < 1e-4


@pytest.mark.parametrize("samples", [700, 8000, 8192])
def test_a_videos_sound_begins_and_ends_where_it_was(samples, tmp_path):
    """AAC fills blocks before and after; a shift by one of them would leave no signal over the noise.

    The file says its length in milliseconds, so up to half of one may be missing or too many.
    """
    sound = tone(samples=samples)
    save_video(FRAMES, tmp_path / "a.mp4", 8, sound)
    found = read_sound(tmp_path / "a.mp4")
    assert found is not None and abs(found.samples.shape[1] - samples) <= sound.rate / 2000
    both = min(samples, found.samples.shape[1])
    cut = (Sound(own.samples[:, :both], own.rate) for own in (sound, found))
    assert audio_snr(*cut) > 15


def test_a_video_without_sound_has_none(tmp_path):
    save_video(FRAMES, tmp_path / "a.mp4")
    assert read_sound(tmp_path / "a.mp4") is None


@pytest.mark.parametrize(
    ("name", "codec", "most"),  # samples that the encoder adds
    [
        ("a.flac", "flac", 0),
        ("a.m4a", "aac", 1024),
        ("a.mp3", "libmp3lame", 0),
        ("a.ogg", "libopus", 312),  # which its length counts, and the decoder leaves out
        ("a.avi", "pcm_s16le", 0),  # whose length is in whole blocks
    ],
)
def test_a_whole_file_is_read_whatever_its_format(name, codec, most, tmp_path):
    sound = tone(samples=24321, rate=48000)
    write_sound(sound, tmp_path / name, codec)
    found = read_sound(tmp_path / name)
    assert found is not None and found.rate == sound.rate
    assert 24321 <= found.samples.shape[1] <= 24321 + most
    assert (found.samples**2).mean() == pytest.approx((sound.samples**2).mean(), rel=0.1)


@pytest.mark.parametrize("loud_first", [True, False])
def test_a_guessed_length_cuts_nothing_and_blames_nothing(loud_first, tmp_path):
    """An MP3 file without a length: its duration is guessed from its first bytes, and is too short or too long."""
    parts = [hiss(samples=80000).samples, np.zeros((2, 80000))]
    sound = Sound(np.concatenate(parts if loud_first else parts[::-1], axis=1), RATE)
    variable = {"flags": "+qscale", "global_quality": "472"}
    write_sound(sound, tmp_path / "a.mp3", "libmp3lame", variable, write_xing="0")
    with av.open(str(tmp_path / "a.mp3")) as container:
        guessed = container.duration / av.time_base
    assert guessed < 8 if loud_first else guessed > 12
    found = read_sound(tmp_path / "a.mp3")
    assert found is not None and 160000 <= found.samples.shape[1] <= 164000


def test_a_file_that_was_cut_is_damaged(tmp_path):
    path = tmp_path / "a.mov"
    write_sound(tone(), path, "pcm_s16le", movflags="+faststart")
    path.write_bytes(path.read_bytes()[:-8000])  # a quarter of 8000 samples of two channels
    with pytest.raises(ValueError, match=r"a\.mov is damaged: 6000 of 8000 samples can be read"):
        read_sound(path)


@pytest.mark.parametrize(("content", "said"), [(None, "is no file"), (b"words", "cannot be read")])
def test_what_is_no_sound_is_named(content, said, tmp_path):
    path = tmp_path / "b.wav"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ValueError, match=rf"b\.wav {said}"):
        read_sound(path)


def test_sound_of_many_channels_is_refused_before_a_file_is_left(tmp_path):
    with pytest.raises(ValueError, match=r"1 or 2 channels, samples\), got \(6, 100\)"):
        save_video(FRAMES, tmp_path / "a.mp4", 8, (np.zeros((6, 100)), 16000))
    assert not list(tmp_path.iterdir())
