"""Arithmetic on batches, the transfer from device to host, and containers; nothing here depends on a run."""
