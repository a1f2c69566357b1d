"""A model's sound on the page: a player with the exact samples."""

import base64
import io
import re
import wave
from dataclasses import replace

import av
import numpy as np
from tests.evaluation.sounds import tone
from tests.support.takes import clip

from navicache.studio.sound import sound_html
from navicache.studio.take_away import encode_media


def test_the_player_holds_the_samples():
    markup = sound_html(replace(clip(), sound=tone(rate=8000)), "no cache")
    data = re.search(r'src="data:audio/wav;base64,([^"]+)"', markup)
    assert data and 'data-name="no cache"' in markup
    with wave.open(io.BytesIO(base64.b64decode(data[1]))) as file:
        assert (file.getframerate(), file.getnchannels()) == (8000, 2)
        samples = np.frombuffer(file.readframes(file.getnframes()), "<i2").reshape(-1, 2).T / 32767
    assert np.abs(samples - tone(rate=8000).samples).max() < 1e-4


def test_without_sound_there_is_no_player():
    assert sound_html(clip(), "no cache") == ""


def test_the_saved_video_has_the_sound():
    saved = encode_media(replace(clip(frames=8), sound=tone(rate=16000)), 16)
    with av.open(io.BytesIO(saved)) as file:
        assert [stream.type for stream in file.streams] == ["video", "audio"]
        heard = np.concatenate([frame.to_ndarray() for frame in file.decode(audio=0)], axis=1)
    assert np.abs(heard).max() > 0.4
