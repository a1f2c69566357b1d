"""What every metric promises; a new entry is covered from the moment it is in `METRICS`."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
from tests.evaluation.clips import floats, pan
from tests.evaluation.sounds import tone

from navicache.evaluation import METRICS, Comparison, compare, measure

every_metric = pytest.mark.parametrize("metric", METRICS)


def test_the_fields_of_a_comparison_are_what_the_metrics_return():
    clip = pan("astronaut", frames=3)
    sounds = (tone(), tone(470))
    returned = [name for metric in METRICS for name in measure(clip, clip, [metric], sounds=sounds)]
    assert sorted(returned) == sorted(field.name for field in fields(Comparison))


@every_metric
def test_bytes_and_floats_agree(metric: str):
    first, second = pan("astronaut", frames=3), pan("coffee", frames=3)
    ours = measure(first, second, [metric])
    again = measure(floats(first), floats(second), [metric])
    for name, value in ours.items():
        assert again[name] == (value if isinstance(value, str | None) else pytest.approx(value, abs=1e-4)), name


@every_metric
def test_another_video_scores_otherwise(metric: str):
    first, second = pan("astronaut", frames=3), pan("coffee", frames=3)
    same = measure(first, first, [metric], sounds=(tone(), tone()))
    other = measure(first, second, [metric], sounds=(tone(), tone(470)))
    name = next(iter(same))
    assert same[name] != other[name] or same[name] is None


def test_without_sound_a_video_has_no_figures_of_it():
    clip = pan("astronaut", frames=3)
    assert measure(clip, clip, ["audio"]) == {}
    assert not {"audio_snr", "log_spectral_distance"} & compare(clip, clip).to_dict().keys()
    assert compare(clip, clip, sounds=(tone(), tone())).to_dict()["audio_snr"] == 100


def test_a_clip_of_another_size_is_refused():
    with pytest.raises(ValueError, match=r"shape|size|same"):
        compare(np.zeros((2, 32, 32, 3)), np.zeros((2, 16, 32, 3)))
