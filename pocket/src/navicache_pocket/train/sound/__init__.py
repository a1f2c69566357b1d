"""Training of `sound`: LTX-2 in small, video and audio from one caption."""
