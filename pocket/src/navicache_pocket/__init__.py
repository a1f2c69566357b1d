"""The embedded models of navicache and the weights of LPIPS as files, and the code that trained the models.

Importing this package imports nothing else: `world`, `train` and `reader` need the extra `train`.
"""
