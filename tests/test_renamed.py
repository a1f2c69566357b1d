"""Names that the public packages had before they were renamed: they work, and say what to write now."""

import importlib
import subprocess
import sys

import pytest

RENAMED = {
    "navicache.policies": {
        "Differences": "FiniteDifferences",
        "Products": "InnerProducts",
        "Taylor": "PolynomialExtrapolation",
        "Verdict": "Decision",
        "Weights": "PredictionWeights",
        "guarded": "add_guards",
        "nonfinite_fields": "find_nonfinite_fields",
        "settings": "collect_knob_values",
    },
    "navicache.models": {
        "CALIBRATED": "CALIBRATED_METHODS",
        "CONDITIONING_NAMES": "CONDITIONING_ARGUMENT_NAMES",
        "HOSTS": "HOST_MODELS",
        "LATENT_NAMES": "LATENT_ARGUMENT_NAMES",
        "METHODS": "PUBLISHED_METHODS",
        "PER_SAMPLE_NAMES": "PER_SAMPLE_ARGUMENT_NAMES",
        "SHARED_NAMES": "SHARED_ARGUMENT_NAMES",
        "SIGNALS": "SIGNAL_MODULES",
        "SIZES": "SIZE_FIELDS",
        "TIME_NAMES": "TIME_ARGUMENT_NAMES",
        "UNKNOWN": "UNKNOWN_MODEL",
        "Place": "ArgumentKey",
        "model_named": "find_model_by_name",
        "preset": "find_preset",
        "published": "load_published_presets",
        "published_models": "list_published_models",
    },
    "navicache.estimator": {
        "Bound": "TheoremBound",
        "Diagonal": "DiagonalFilter",
        "Drift": "DriftFilter",
        "RatioDrift": "RatioDriftBelief",
        "Schedule": "NoiseSchedule",
        "Walk": "RandomWalkFilter",
        "align": "align_beliefs",
        "best_damping": "fit_damping",
        "gain": "compute_gain",
        "hold_variance": "compute_hold_variance",
        "posterior_variance": "compute_posterior_variance",
        "prior_variance": "compute_prior_variance",
        "slope_reach": "compute_extrapolation_factor",
        "steady_gain": "compute_steady_gain",
        "theorem_bound": "compute_theorem_bound",
        "upper_bound": "compute_upper_bound",
        "value": "evaluate_noise",
    },
    "navicache.records": {
        "BELIEF_WORDS": "ERROR_FIELD_LABELS",
        "Belief": "ErrorField",
        "Checked": "ReuseCheck",
        "Scalar": "SettingValue",
        "ShadowKind": "ShadowMode",
        "atomic_file": "open_atomic_file",
        "by_sample": "split_by_sample",
        "checked_steps": "collect_reuse_checks",
        "headline": "format_headline",
        "max_error": "read_max_error",
        "share_believed": "compute_share_within_prediction",
        "share_below": "compute_share_within_limit",
        "shows_growth": "ratio_is_error_growth",
        "tally": "describe_savings",
    },
    "navicache.evaluation": {
        "Unavailable": "LpipsUnavailable",
    },
}
ENTRIES = [(module, old, new) for module, names in RENAMED.items() for old, new in names.items()]


@pytest.mark.parametrize(("module", "old", "new"), ENTRIES)
def test_an_old_name_works_and_warns(module: str, old: str, new: str):
    package = importlib.import_module(module)
    with pytest.warns(DeprecationWarning, match=rf"^{module}\.{old} is now {new}$") as caught:
        assert getattr(package, old) is getattr(package, new)
    assert caught[0].filename == __file__, "the warning names the line of the user"
    assert new in package.__all__ and old not in package.__all__


@pytest.mark.parametrize("module", RENAMED)
def test_any_other_name_is_an_error(module: str):
    with pytest.raises(AttributeError, match=f"module '{module}' has no attribute 'no_such_name'"):
        _ = importlib.import_module(module).no_such_name


def test_an_old_name_can_be_imported():
    code = "from navicache.policies import Verdict; print(Verdict.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "Decision\n"
    assert "<string>:1: DeprecationWarning: navicache.policies.Verdict is now Decision" in done.stderr
