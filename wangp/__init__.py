"""NaviCache for WanGP: an extension that predicts some of a video model's steps."""
