"""What `tools/structure.py` counts: one module for each kind of measure. They read the source and import none of it."""
