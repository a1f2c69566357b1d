class TestFluxTransformerNaviCache(FluxTransformerTesterConfig, NaviCacheTesterMixin):
    """NaviCache tests for Flux Transformer."""
