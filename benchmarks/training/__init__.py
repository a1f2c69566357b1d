"""The embedded model: how it was trained, what it draws, how its outputs move."""
