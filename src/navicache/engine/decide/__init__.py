"""Compute or reuse: what is measured and learnt, the gate's word on it, and what is written down."""
