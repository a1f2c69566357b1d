"""The training of `flux` and `ltx`: small models of two more classes, on scenes of which captions tell little."""
