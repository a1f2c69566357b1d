"""The training of `wild`: the transformer of `wan`, trained further on scenes of which captions tell little."""
