"""The installed VBench on the videos of a benchmark: `python -m benchmarks.vbench RESULTS`."""
