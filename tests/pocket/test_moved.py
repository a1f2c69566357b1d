"""Imports that earlier documentation shows still work, and warn."""

import importlib
import subprocess
import sys

import pytest

from navicache.pocket import find_member
from navicache_pocket import world
from navicache_pocket.train import autoencoder

MODULES = {"navicache.pocket.world": world, "navicache.pocket.train.autoencoder": autoencoder}


@pytest.mark.parametrize("old", MODULES)
def test_old_names_are_the_new_ones_and_warn(old):
    module = importlib.import_module(old)
    for name, renamed in module.NAMES.items():
        with pytest.warns(DeprecationWarning, match=f"is now navicache_pocket.*{renamed}"):
            assert getattr(module, name) is getattr(MODULES[old], renamed)
    with pytest.raises(AttributeError, match="no attribute 'other'"):
        _ = module.other


@pytest.mark.slow  # it imports all that trains
def test_the_old_command_says_what_the_new_one_is():
    command = [sys.executable, "-m", "navicache.pocket.train", "--member", "unet", "--help"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0 and "python -m navicache_pocket.train --member unet" in done.stdout
    assert "deprecated: use python -m navicache_pocket.train" in done.stderr


def test_the_old_name_of_find_member_warns():
    with pytest.warns(DeprecationWarning, match="is now navicache.pocket.members.find_member"):
        from navicache.pocket import member
    assert member is find_member
