"""`navicache bench`: measure models and policies over many prompts, as a plan says."""
