"""The gallery of the docs: what every embedded model makes with and without the cache."""
