class TestHunyuanVideoTransformerNaviCache(HunyuanVideoTransformerTesterConfig, NaviCacheTesterMixin):
    """NaviCache tests for HunyuanVideo Transformer."""
