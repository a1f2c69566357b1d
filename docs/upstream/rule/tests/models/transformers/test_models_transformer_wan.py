class TestWanTransformer3DNaviCache(WanTransformer3DTesterConfig, NaviCacheTesterMixin):
    """NaviCache tests for Wan Transformer 3D."""
