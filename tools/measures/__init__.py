"""The measures of `tools/structure.py`, one module each. They read the source without importing it."""
