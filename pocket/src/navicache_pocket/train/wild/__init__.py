"""How the member `wild` is trained: wan's autoencoder and text encoder as they are, and a transformer of its own."""
