"""What a member's stages look at: each loss falls, in miniature, and asks for what it should."""

import numpy as np
import pytest
import torch
from tests.pocket.train.family.small import HUNYUAN

from navicache_pocket.train.family.autoencoding import PicturePool, compute_autoencoder_loss
from navicache_pocket.train.family.denoising import (
    encode_member_latents,
    make_denoising_loss,
    make_distillation_loss,
    predict_with_guidance,
)
from navicache_pocket.train.family.recipe import EncodedVideos, list_muon_weights
from navicache_pocket.train.timed_stage import TimedStage
from navicache_pocket.train.training_loop import LoopSettings, run_training_loop
from navicache_pocket.world import draw_scenes

pytestmark = pytest.mark.slow  # whole trainings, in miniature

BRISK = LoopSettings(learning_rate=3e-3, muon_learning_rate=1e-2, warm_up_steps=1, ema_decay=0.5, log_every=1)


class Counted(TimedStage):
    """A session of so many steps, by no clock."""

    def steps(self, parts):
        while self.step < self.seconds:
            yield self.step
            self.step += 1


def losses(session):
    return [entry["loss"] for entry in session.log]


def test_the_autoencoder_learns(recipe, tmp_path):
    vae, session = recipe.make_autoencoder().train(), Counted("autoencoder", tmp_path, 10)
    video, objects = PicturePool(draw_scenes(2, 0), recipe.video_format, "cpu").sample_batch(2)
    run_training_loop(
        session, vae, list_muon_weights(vae), lambda: compute_autoencoder_loss(recipe, vae, video, objects), BRISK
    )
    assert np.mean(losses(session)[-3:]) < 0.8 * losses(session)[0]


def test_the_denoiser_learns_with_its_text_encoders(recipe, tmp_path):
    vae, model = recipe.make_autoencoder().eval(), recipe.make_denoiser().train()
    latents = encode_member_latents(recipe, vae, draw_scenes(2, 0), "cpu")
    assert float(latents.values.float().std()) == pytest.approx(1.0, abs=0.02)
    words = [p for name, p in model.named_parameters() if "text_encoder" in name and "embed" in name]
    before = [weight.detach().clone() for weight in words]
    session = Counted("denoiser", tmp_path, 20)
    run_training_loop(session, model, list_muon_weights(model), make_denoising_loss(recipe, model, latents, 6), BRISK)
    assert np.mean(losses(session)[-8:]) < 0.9 * np.mean(losses(session)[:3])
    assert all((now != then).any() for now, then in zip(words, before, strict=True))


def test_a_student_learns_what_its_teacher_does_with_guidance(tmp_path):
    torch.manual_seed(0)
    model = HUNYUAN.make_denoiser().train()
    latents = encode_member_latents(HUNYUAN, HUNYUAN.make_autoencoder().eval(), draw_scenes(4, 0), "cpu")
    noised = HUNYUAN.noise_process(latents.values.float())
    keep, far = torch.zeros(4, dtype=torch.bool), torch.full((4,), 8.0)
    with torch.no_grad():
        told = model(*noised[:2], latents.ids, keep, torch.ones(4))
        untold = model(*noised[:2], latents.ids, ~keep, torch.ones(4))
    wanted = predict_with_guidance(model, noised, latents.ids, keep, far)
    torch.testing.assert_close(wanted, untold + 8 * (told - untold), atol=1e-4, rtol=1e-4)
    session = Counted("distil", tmp_path, 25)
    run_training_loop(
        session, model, list_muon_weights(model), make_distillation_loss(HUNYUAN, model, latents, 4), BRISK
    )
    with torch.no_grad():
        found = [model(*noised[:2], latents.ids, keep, scale) for scale in (far, torch.ones(4))]
    errors = [float((each - wanted).square().mean()) for each in found]
    assert errors[0] < float((told - wanted).square().mean()), "told a scale, it goes where its teacher is guided"
    assert errors[0] < errors[1], "told another, it does not go so far"


class WrongAtObjects:
    """An autoencoder that errs where objects are, and nowhere else."""

    def encode(self, vae, video):
        return EncodedVideos(torch.randn(2, 1, 64, generator=torch.Generator().manual_seed(0)), torch.zeros(()))

    def decode(self, objects, latents):
        return 0.5 * objects.float().unsqueeze(1)


def test_an_error_at_an_object_counts_more():
    objects = torch.zeros(2, 1, 8, 8, dtype=torch.bool)
    objects[:, :, 2:4, 2:4] = True
    plain, seen = (
        compute_autoencoder_loss(WrongAtObjects(), objects, torch.zeros(2, 3, 1, 8, 8), where)
        for where in (~objects, objects)
    )
    assert seen["loss"] > 3 * plain["loss"]
    assert seen["psnr"] == plain["psnr"]


@torch.no_grad()
def test_a_fresh_autoencoder_draws_hardly_any_noise(recipe):
    vae, video = recipe.make_autoencoder().eval(), recipe.video_format.of(draw_scenes(2, 0))
    first, second = (recipe.encode(vae, video) for _ in range(2))
    assert 0 < (first.latents - second.latents).std() < 0.2
    assert 1.5 < first.divergence < 8
