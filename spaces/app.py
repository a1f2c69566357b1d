"""The studio as a Hugging Face Space: visitors choose among the embedded models, on the free CPU."""

from navicache.generation.job import Source
from navicache.studio.offer import Offer
from navicache.studio.page import open_page

if __name__ == "__main__":
    open_page(Offer(Source("pocket:hunyuan"), locked=True))
