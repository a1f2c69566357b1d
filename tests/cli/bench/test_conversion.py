"""Schedulers by name: a class of diffusers, or any by its module."""

import pytest

from navicache.cli.bench.conversion import find_scheduler_class


def test_a_scheduler_has_the_name_of_its_class_or_of_its_module_too():
    own = find_scheduler_class("DDIMScheduler")
    assert find_scheduler_class("diffusers.schedulers.scheduling_ddim.DDIMScheduler") is own


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("UniPC", "diffusers has no scheduler 'UniPC'"),
        ("no_such_package.MyScheduler", "no scheduler no_such_package.MyScheduler: No module named 'no_such_package'"),
        ("diffusers.schedulers.NoScheduler", "no scheduler diffusers.schedulers.NoScheduler: .*NoScheduler"),
    ],
)
def test_a_name_that_is_none_is_refused(name, message):
    with pytest.raises(ValueError, match=message):
        find_scheduler_class(name)
