"""Compute or reuse: measurements, the decisions of the gate, and the trace of both."""
