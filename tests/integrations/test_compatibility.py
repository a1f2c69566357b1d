"""The cache on every pipeline class there is a tiny build of: it works, or refuses and leaves no trace."""

from __future__ import annotations

import pytest
from tests.integrations.survey import AFTER_FIRST, STACK, WHOLE, Subject, subjects, survey

SUBJECTS = {subject.name: subject for subject in subjects()}
QUICK = {"Allegro", "SkyReelsV2DiffusionForcing", "LTXImageToVideo", "StableDiffusionXL", "Flux2", "LTX2", "Latte"}

UNET = "cannot find the transformer blocks of"
ANEW = "the blocks lay their tokens out anew"
BETWEEN = "something is added between the blocks"
NO_BLOCKS = {  # where the site of the blocks is refused, and why
    "Latte": ANEW,  # by frames, then by places, in turns
    "HiDreamImage": ANEW,  # packs its tokens for its experts
    "WanVACE": BETWEEN,
    "TextToVideoSD": UNET,
    "StableDiffusion": UNET,
    "StableDiffusionImg2Img": UNET,
    "StableDiffusionXL": UNET,
    "StableDiffusionXLImg2Img": UNET,
    "StableCascadePrior": UNET,
}

each_subject = pytest.mark.parametrize(
    "subject",
    [pytest.param(case, marks=() if name in QUICK else pytest.mark.slow, id=name) for name, case in SUBJECTS.items()],
)
pytestmark = [  # what diffusers itself says on the way
    pytest.mark.filterwarnings("ignore:__array__ implementation doesn't accept a copy keyword"),
    pytest.mark.filterwarnings("ignore:In CPU autocast, but the target dtype is not supported"),
    pytest.mark.filterwarnings("ignore:.*is deprecated and will be removed in version:FutureWarning"),
]


@each_subject
@pytest.mark.parametrize(("policy", "knobs"), WHOLE, ids=[policy for policy, _ in WHOLE])
def test_the_whole_call(subject: Subject, policy, knobs):
    assert survey(subject, policy, knobs) == ""


@each_subject
@pytest.mark.parametrize(("policy", "knobs"), [STACK, AFTER_FIRST], ids=["stack", "after_first"])
def test_the_blocks(subject: Subject, policy, knobs):
    reason = survey(subject, policy, knobs)
    assert reason.startswith(NO_BLOCKS[subject.name]) if subject.name in NO_BLOCKS else not reason


def test_more_first_blocks_than_keep_the_text_apart():
    """Flux 2 puts text and image into one stream after its double blocks, so nothing can be told from there on."""
    reason = survey(SUBJECTS["Flux2"], "dbcache", {"threshold": 0.5, "first": 2, "align_steps": 2})
    assert reason.startswith(ANEW)
    assert "leave fewer first blocks out" in reason
