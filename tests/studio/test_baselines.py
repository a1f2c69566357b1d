"""Plain runs that are kept: as many as there is room for, and for one visitor alone."""

from dataclasses import replace

from tests.support.takes import clip, take

from navicache.studio.baselines import BaselineStore

SIZE = clip().frames.nbytes


def test_the_oldest_leave_first():
    kept = BaselineStore(room=2 * SIZE)
    for key in "abc":
        kept = kept.add(key, take())
    assert kept.find("a") is None and kept.find("b") and kept.find("c")


def test_a_take_too_large_for_the_room_is_kept_alone():
    kept = BaselineStore(room=SIZE // 2).add("a", take()).add("b", take())
    assert kept.find("a") is None and kept.find("b") is not None


def test_the_same_key_takes_no_more_room():
    newer = replace(take(), call_seconds=9.0)
    kept = BaselineStore(room=SIZE).add("a", take()).add("a", newer)
    assert kept.find("a") is newer and len(kept.takes) == 1


def test_one_visitors_are_not_anothers():
    both = BaselineStore()
    one = both.add("a", take())
    assert both.find("a") is None and one.find("a") is not None
