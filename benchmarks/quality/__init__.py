"""Whether targets keep their word; quality against cost is a plan of `navicache bench`."""
