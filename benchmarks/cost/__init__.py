"""What the cache itself costs."""
