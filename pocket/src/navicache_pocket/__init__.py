"""Files that navicache finds by themselves: the embedded models, and the weights of LPIPS."""
