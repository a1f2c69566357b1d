"""The studio as a Hugging Face Space: visitors choose among the embedded models, on the free CPU."""

from navicache.generation.job import ModelSource
from navicache.studio.models import StudioModels
from navicache.studio.page import open_page

if __name__ == "__main__":
    open_page(StudioModels(ModelSource("pocket:hunyuan"), locked=True))
