"""Models x settings x prompts x seeds, measured side by side, resumable at any moment."""
