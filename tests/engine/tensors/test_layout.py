"""Which rows are one sample."""

from navicache.engine.tensors.layout import candidates


def test_candidate_layouts_are_partitions():
    for rows in range(2, 13):
        for layout in candidates(rows):
            assert sorted(row for sample in layout for row in sample) == list(range(rows))
            assert len({len(sample) for sample in layout}) == 1
