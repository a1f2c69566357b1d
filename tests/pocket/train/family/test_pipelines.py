"""What is trained is what the packed pipeline calls, member by member."""

import numpy as np
import pytest
import torch
from diffusers import CogVideoXDPMScheduler, DPMSolverMultistepScheduler, EulerDiscreteScheduler
from safetensors import safe_open
from tests.pocket.train.family.packed import DEVIATION, pack, watched
from tests.pocket.train.family.small import COGVIDEOX, HUNYUAN, SIDE, SMALL, UNET

from navicache.pocket.members import find_member

PROMPT = "a large red ball moving right in front of green hills"
LATENTS = {"hunyuan": "hidden_states", "opensora": "x", "cogvideox": "hidden_states", "unet": "sample"}
UNTOLD_FIRST = {"opensora": False, "cogvideox": True, "unet": True}


@pytest.fixture(scope="module", params=[*SMALL])
def packed(request, tmp_path_factory):
    return pack(SMALL[request.param], tmp_path_factory.mktemp(request.param))


@pytest.fixture(scope="module")
def hunyuan(tmp_path_factory):
    return pack(HUNYUAN, tmp_path_factory.mktemp("hunyuan"))


def trained_on(packed, arguments, dropped, guidance):
    """The training's forward at what the pipeline's denoiser was given, and that in the training's layout."""
    noisy = arguments[LATENTS[packed.recipe.name]]
    noisy = noisy.transpose(1, 2) if packed.recipe.name == "cogvideox" else noisy
    rows = len(noisy)
    time = torch.as_tensor(arguments["timestep"]).expand(rows)
    ids = packed.recipe.tokenize([PROMPT]).expand(rows, -1)
    with torch.no_grad():
        found = packed.model(noisy, time, ids, torch.tensor(dropped), torch.full((rows,), guidance))
    return found.transpose(1, 2) if packed.recipe.name == "cogvideox" else found


@pytest.mark.parametrize("name", [*UNTOLD_FIRST])
def test_both_branches_are_called_as_they_were_trained(name, tmp_path):
    packed = pack(SMALL[name], tmp_path)
    with watched(packed) as calls:
        packed.call(prompt=PROMPT, guidance_scale=find_member(name).call["guidance_scale"])
    assert len(calls) == 3, "one call a step, both branches in it"
    for arguments, output in calls:
        dropped = [UNTOLD_FIRST[name], not UNTOLD_FIRST[name]]
        found = trained_on(packed, arguments, dropped, 1.0)
        torch.testing.assert_close(found, output, atol=2e-5, rtol=1e-4)
        swapped = trained_on(packed, arguments, dropped[::-1], 1.0)
        assert (swapped - output).abs().max() > 1e-3 * output.abs().max(), "the caption is heard"


def test_hunyuan_is_told_its_guidance_and_called_once_a_step(hunyuan):
    with watched(hunyuan) as calls:
        hunyuan.call(prompt=PROMPT, guidance_scale=6.0)
    assert len(calls) == 3
    for arguments, output in calls:
        torch.testing.assert_close(trained_on(hunyuan, arguments, [False], 6.0), output, atol=2e-5, rtol=1e-4)
        assert (trained_on(hunyuan, arguments, [False], 1.0) - output).abs().max() > 1e-5


def test_hunyuans_empty_caption_is_its_empty_negative_prompt(hunyuan):
    with watched(hunyuan) as calls:
        hunyuan.call(prompt=PROMPT, negative_prompt="", true_cfg_scale=2.0, guidance_scale=1.0)
    assert len(calls) == 6
    arguments, output = calls[1]
    torch.testing.assert_close(trained_on(hunyuan, arguments, [True], 1.0), output, atol=2e-5, rtol=1e-4)


@pytest.mark.parametrize("name", [*SMALL])
def test_a_model_that_answers_as_asked_leads_the_sampler_to_the_video(name, tmp_path):
    packed = pack(SMALL[name], tmp_path)
    scheduler, process = packed.pipe.scheduler, packed.recipe.noise_process
    generator = torch.Generator().manual_seed(0)
    clean, noise = torch.randn(2, 1, 4, 3, 8, 8, generator=generator)
    scheduler.set_timesteps(20)
    sample = None
    for time in scheduler.timesteps:
        stands = process.add_noise(clean, noise, time[None])
        sample = stands.latents if sample is None else sample
        torch.testing.assert_close(sample, stands.latents, atol=1e-3, rtol=1e-3)
        sample = scheduler.step(stands.target, time, sample, return_dict=False)[0]
    assert (sample - clean).abs().max() < 0.2  # Stable Diffusion's DDIM leaves the noise of its first timestep


def test_pictures_are_decoded_from_latents_of_unit_deviation(packed):
    latents = torch.as_tensor(packed.call(prompt=PROMPT, output_type="latent"))
    latents = latents.transpose(1, 2) if packed.recipe.name == "cogvideox" else latents
    with torch.no_grad():
        video = packed.recipe.decode(packed.vae, latents.float() * DEVIATION)
    wanted = ((video + 1) / 2).clamp(0, 1).permute(0, 2, 3, 4, 1).numpy()
    made = np.asarray(packed.call(prompt=PROMPT))
    np.testing.assert_allclose(made if made.ndim == 5 else made[:, None], wanted, atol=1e-4)


def test_the_autoencoder_is_encoded_as_it_was_trained(packed):
    video = torch.rand(1, 3, packed.recipe.video_format.frames, SIDE, SIDE) * 2 - 1
    with torch.no_grad():
        torch.manual_seed(3)
        mine = packed.recipe.encode(packed.vae, video).latents
        torch.manual_seed(3)
        if packed.recipe.name == "opensora":
            theirs = packed.pipe.vae.encode(video) * DEVIATION
        else:
            shown = video.squeeze(2) if packed.recipe.video_format.frames == 1 else video
            theirs = packed.pipe.vae.encode(shown).latent_dist.sample()
    torch.testing.assert_close(mine, theirs, atol=1e-4, rtol=1e-4)


@pytest.mark.filterwarnings("ignore:__array__ implementation doesn't accept a copy")  # of diffusers
@pytest.mark.parametrize(
    ("recipe", "kind"),
    [(COGVIDEOX, CogVideoXDPMScheduler), (UNET, DPMSolverMultistepScheduler), (UNET, EulerDiscreteScheduler)],
)
def test_the_other_samplers_take_the_same_configuration(recipe, kind, tmp_path):
    packed = pack(recipe, tmp_path)
    packed.pipe.register_modules(scheduler=kind.from_config(packed.pipe.scheduler.config))
    assert np.isfinite(np.asarray(packed.call(prompt=PROMPT, num_inference_steps=4))).all()


def test_an_image_member_opens_without_a_word(tmp_path, caplog):
    pack(UNET, tmp_path)
    index = (tmp_path / "model_index.json").read_text()
    assert '"requires_safety_checker": false' in index
    assert not [record for record in caplog.records if "safety" in record.getMessage()]


def test_stored_parts_are_half_and_text_encoders_whole(packed):
    kinds = {name: part.dtype for name, part in packed.pipe.components.items() if isinstance(part, torch.nn.Module)}
    assert set(kinds.values()) == {torch.float32}, "opened without a dtype all parts are alike"
    files = sorted(packed.folder.rglob("*.safetensors"))
    assert len(files) == len(kinds)
    for file in files:
        with safe_open(file, "pt") as weights:
            stored = {weights.get_slice(name).get_dtype() for name in weights.keys()}  # noqa: SIM118
        assert stored == {"F32" if file.parent.name.startswith("text_encoder") else "F16"}, file
