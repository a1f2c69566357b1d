"""The recipes by name; wan has a training of its own."""

from navicache.pocket.train.family.cogvideox import CogVideoX
from navicache.pocket.train.family.hunyuan import Hunyuan
from navicache.pocket.train.family.opensora import OpenSora
from navicache.pocket.train.family.recipe import Recipe
from navicache.pocket.train.family.unet import UNet

RECIPES: dict[str, Recipe] = {recipe.name: recipe for recipe in (Hunyuan(), OpenSora(), CogVideoX(), UNet())}
