"""Arithmetic on batches, the one door from the device to the host, containers; nothing here knows of a run."""
