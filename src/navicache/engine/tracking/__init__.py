"""Where am I: which run, step and stream a call belongs to."""
