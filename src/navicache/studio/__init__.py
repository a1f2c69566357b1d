"""A page in the browser: a prompt, a target, and the videos with and without the cache side by side."""
