"""The embedded model: a small real Wan, the world it was trained on, and how."""
