"""What the tests of the engine play with: models, gates and runs whose answers are mental arithmetic."""
