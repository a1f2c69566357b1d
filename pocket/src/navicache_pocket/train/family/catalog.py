"""The recipes by name; wan has a training of its own."""

from navicache_pocket.train.family.cogvideox import CogVideoXRecipe
from navicache_pocket.train.family.hunyuan import HunyuanRecipe
from navicache_pocket.train.family.opensora import OpenSoraRecipe
from navicache_pocket.train.family.recipe import MemberRecipe
from navicache_pocket.train.family.unet import UNetRecipe

RECIPES: dict[str, MemberRecipe] = {
    recipe.name: recipe for recipe in (HunyuanRecipe(), OpenSoraRecipe(), CogVideoXRecipe(), UNetRecipe())
}
