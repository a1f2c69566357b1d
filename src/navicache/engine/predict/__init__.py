"""What is returned on reuse: what is kept of computed steps, and their weighted sum."""
