"""Plans, jobs and rows of a benchmark: models x settings x prompts x seeds, resumable at any moment."""
