"""Where a policy is put, and what decides for itself there."""

import pytest
from tests.policies.drive import drive
from tests.policies.trajectories import smooth

from navicache.policies import Blocks, EasyCache, Ema, Inertial, NaviCache


@pytest.mark.parametrize("kind", [NaviCache, EasyCache, Ema])
@pytest.mark.parametrize("rows", ["sample", "call"])
def test_rows_reach_the_engine(kind, rows):
    assert kind(rows=rows).schemes()[0].gate.rows == rows


@pytest.mark.parametrize("kind", [NaviCache, EasyCache, Ema, Inertial])
def test_site_reaches_the_engine(kind):
    """The blocks see one batch of tokens: there a call decides as a whole."""
    (model,), (blocks,) = kind().schemes(), kind(site="blocks").schemes()
    assert (model.site, model.gate.rows) == ("model", "sample")
    assert (blocks.site, blocks.gate.rows) == (Blocks(), "call")
    assert drive(kind(), smooth(0)).marks == drive(kind(site="blocks"), smooth(0)).marks
