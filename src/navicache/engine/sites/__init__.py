"""What is replaced: the whole model, its blocks, or modules inside them."""
