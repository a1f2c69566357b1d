"""The recipes by name; wan has a training of its own."""

from navicache_pocket.train.family.cogvideox import CogVideoX
from navicache_pocket.train.family.hunyuan import Hunyuan
from navicache_pocket.train.family.opensora import OpenSora
from navicache_pocket.train.family.recipe import Recipe
from navicache_pocket.train.family.unet import UNet

RECIPES: dict[str, Recipe] = {recipe.name: recipe for recipe in (Hunyuan(), OpenSora(), CogVideoX(), UNet())}
