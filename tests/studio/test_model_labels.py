"""What the list of models says."""

from navicache.pocket.members import MEMBERS
from navicache.studio.model_labels import QUICKEST_FIRST, describe_model


def test_every_embedded_model_has_a_place_and_words():
    assert set(QUICKEST_FIRST) == set(MEMBERS)
    labels = [describe_model(f"pocket:{name}") for name in MEMBERS]
    assert "pocket:unet · a small Stable Diffusion: images of 64 x 64" in labels and len(set(labels)) == len(MEMBERS)
    assert describe_model("pocket").startswith("pocket · a small Wan: 17 frames")
