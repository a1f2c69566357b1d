"""What `navicache bench` cannot measure, by question; README.md says which command answers which."""
