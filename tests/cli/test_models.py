"""`navicache models`: every preset with its source, as a table and as JSON."""

import json

import pytest

from navicache.cli import main
from navicache.models import MODELS
from navicache.policies import POLICIES, build_policy


def shown(capsys, *arguments: str) -> str:
    assert main(["models", *arguments]) == 0
    return capsys.readouterr().out


def test_every_model_policy_and_source_is_listed(capsys):
    lines = shown(capsys).splitlines()
    for spec in MODELS:
        assert f"{spec.name} ({spec.transformer or 'any other class'})" in lines
    for preset in (preset for spec in MODELS for modes in spec.presets.values() for preset in modes.values()):
        assert any(preset.source in line for line in lines)
    for policy in POLICIES:
        assert any(policy in line for line in lines)
    assert lines[-1].startswith("* inferred: nobody has published it")
    assert max(map(len, lines)) < 190


@pytest.mark.parametrize("part", ["hunyuan", "HunyuanVideo", "HUNYUANVIDEOTRANSFORMER"])
def test_part_of_a_name_or_class(capsys, part):
    text = shown(capsys, part)
    assert text.startswith("HunyuanVideo (HunyuanVideoTransformer3DModel)\n")
    assert "Wan" not in text
    (teacache,) = [line for line in text.splitlines() if line.startswith("  teacache") and " mid " in line]
    assert "threshold=0.15" in teacache
    assert "teacache_sample_video.py: script" in teacache
    assert "retention=0.2 ..." in text
    assert (
        "no preset: schedule, pab, firstblockcache, dbcache, taylorseer, hicache, spectrum, seacache, l2p, meancache"
        in text
    )


def test_inferred_is_marked(capsys):
    lines = shown(capsys, "mochi").splitlines()
    (guess,) = [line for line in lines if line.startswith("  navicache  mid")]
    (given,) = [line for line in lines if line.startswith("  teacache") and " mid" in line]
    assert ("mid*" in guess, "mid*" in given) == (True, False)


def test_json_builds_the_same_policies(capsys):
    """Tuples come back as lists, which is all that a reader has to undo."""
    models = json.loads(shown(capsys, "--json"))
    assert [model["name"] for model in models] == [spec.name for spec in MODELS]
    for model, spec in zip(models, MODELS, strict=True):
        for policy, modes in model["presets"].items():
            for mode, preset in modes.items():
                knobs = {k: tuple(v) if isinstance(v, list) else v for k, v in preset["knobs"].items()}
                assert build_policy(policy, **knobs) == build_policy(policy, **spec.presets[policy][mode].knobs)


def test_unknown_name(capsys):
    with pytest.raises(SystemExit) as left:
        main(["models", "sora 3"])
    assert left.value.code == 2
    assert "no model is called 'sora 3'; known: Wan 2.2 I2V-A14B" in capsys.readouterr().err
