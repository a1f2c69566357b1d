"""What is found in a model without running it."""

import torch
from tests.tiny.zoo import ZOO

from navicache.integrations.model_inspection import inspect_model


def test_a_unet_has_no_blocks_and_the_whole_call_is_possible():
    unet = ZOO["StableDiffusionXL"].build().unet
    found = inspect_model("unet", unet, dict(unet.config))
    assert found.sites["model"] == ""
    assert found.sites["blocks"].startswith("cannot find the transformer blocks of UNet2DConditionModel")
    possible = {each.policy: not each.refused for each in found.policies}
    assert possible["navicache"]
    assert possible["inertial"]
    assert not possible["firstblockcache"]
    assert not possible["pab"]


def test_a_forward_without_a_latent_is_a_problem():
    class Odd(torch.nn.Module):
        def forward(self, image, words):
            return image

    found = inspect_model("transformer", Odd(), {})
    assert "cannot tell which argument is the latent among (image, words)" in found.problems[0]
    assert all(each.refused for each in found.policies)
