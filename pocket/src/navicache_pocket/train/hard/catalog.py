"""The recipes of the hard members by name; wild has a training of its own."""

from navicache_pocket.train.hard.flux import FluxRecipe
from navicache_pocket.train.hard.ltx import LTXRecipe
from navicache_pocket.train.hard.recipe import HardRecipe

RECIPES: dict[str, HardRecipe] = {recipe.member.name: recipe for recipe in (FluxRecipe(), LTXRecipe())}
