"""Training of `turbo`: wan distilled to eight steps without guidance, as an adapter of low rank."""
