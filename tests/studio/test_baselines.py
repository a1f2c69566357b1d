"""Plain runs that are kept: as many as there is room for, and for one visitor alone."""

import gc
from dataclasses import replace

from tests.support.takes import clip, take

from navicache.studio.baselines import BaselineStore, RecentTakes

SIZE = clip().frames.nbytes


def test_the_oldest_leave_first():
    kept, takes = BaselineStore(room=2 * SIZE), {key: take() for key in "abc"}
    for key, made in takes.items():
        kept = kept.add(key, made)
    assert kept.find("a") is None and kept.find("b") is takes["b"] and kept.find("c") is takes["c"]


def test_a_take_too_large_for_the_room_is_kept_alone():
    one, other = take(), take()
    kept = BaselineStore(room=SIZE // 2).add("a", one).add("b", other)
    assert kept.find("a") is None and kept.find("b") is other


def test_the_same_key_takes_no_more_room():
    older, newer = take(), replace(take(), call_seconds=9.0)
    kept = BaselineStore(room=SIZE).add("a", older).add("a", newer)
    assert kept.find("a") is newer and len(kept.takes) == 1


def test_one_visitors_are_not_anothers():
    both, made = BaselineStore(), take()
    one = both.add("a", made)
    assert both.find("a") is None and one.find("a") is made


def test_all_visitors_together_have_a_limit():
    recent, stores = RecentTakes(room=3 * SIZE), []
    for _ in range(9):
        made = take()
        recent.keep(made)
        recent.keep(made)  # it is told of again at every step
        stores.append(BaselineStore().add("a", made))
    del made
    gc.collect()
    assert [store.find("a") is not None for store in stores] == [False] * 6 + [True] * 3
    large = RecentTakes(room=SIZE // 2)
    large.keep(newest := take())
    gc.collect()
    assert BaselineStore().add("a", newest).find("a") is newest and len(large._takes) == 1
