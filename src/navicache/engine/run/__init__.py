"""What do I know: everything that lives as long as one run."""
