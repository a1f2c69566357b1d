"""How the other members of the family are trained: one recipe each, one set of stages for all."""
