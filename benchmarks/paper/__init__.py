"""Pages of the paper's studies: published rows beside measured ones, and each plan as a chapter."""
