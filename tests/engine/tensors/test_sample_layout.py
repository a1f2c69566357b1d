"""Which rows are one sample."""

from navicache.engine.tensors.sample_layout import list_layouts


def test_candidate_layouts_are_partitions():
    for rows in range(2, 13):
        for layout in list_layouts(rows):
            assert sorted(row for sample in layout for row in sample) == list(range(rows))
            assert len({len(sample) for sample in layout}) == 1
