@is_cache
class NaviCacheConfigMixin:
    """
    Base mixin providing the NaviCache config.

    Expected class attributes:
        - model_class: The model class to test (must use CacheMixin)
    """

    # A ratio needs two computed steps, and the threshold is far above what a random model reaches in one step.
    NAVI_CACHE_CONFIG = {
        "threshold": 1e6,
        "num_alignment_steps": 2,
        "num_inference_steps": 4,
    }

    def _get_cache_config(self):
        return NaviCacheConfig(**self.NAVI_CACHE_CONFIG)

    def _get_hook_names(self):
        return [_NAVI_CACHE_HOOK]


@is_cache
class NaviCacheTesterMixin(NaviCacheConfigMixin, CacheTesterMixin):
    """
    Mixin class for testing NaviCache on models.

    Expected class attributes:
        - model_class: The model class to test (must use CacheMixin)

    Expected methods to be implemented by subclasses:
        - get_init_dict(): Returns dict of arguments to initialize the model
        - get_dummy_inputs(): Returns dict of inputs to pass to the model forward pass

    Pytest mark: cache
        Use `pytest -m "not cache"` to skip these tests
    """

    @torch.no_grad()
    def _test_cache_inference(self):
        """Two computed steps give the first ratio, the third step is reused, and the last one is computed."""
        model = self.model_class(**self.get_init_dict()).to(torch_device).eval()
        inputs = self.get_dummy_inputs()
        step = torch.randn_like(inputs[self.cache_input_key])
        steps = [{**inputs, self.cache_input_key: inputs[self.cache_input_key] + 0.1 * i * step} for i in range(4)]

        model.enable_cache(self._get_cache_config())
        cached = [model(**inputs, return_dict=False)[0] for inputs in steps]
        model.disable_cache()
        computed = [model(**inputs, return_dict=False)[0] for inputs in steps]

        for index in (0, 1, 3):
            assert_tensors_close(cached[index], computed[index], atol=0, rtol=0, msg=f"Step {index} is computed.")
        assert not torch.isnan(cached[2]).any(), "Model output contains NaN with cache enabled."
        assert not torch.allclose(cached[2], computed[2], atol=1e-5), "Step 2 should be reused."

    @torch.no_grad()
    def _test_cache_return_dict(self):
        """A reused step answers in the form that is asked for."""
        model = self.model_class(**self.get_init_dict()).to(torch_device).eval()
        inputs = self.get_dummy_inputs()
        model.enable_cache(self._get_cache_config())
        for _ in range(2):
            model(**inputs, return_dict=False)
        output = model(**inputs, return_dict=True)
        model.disable_cache()
        assert type(output) is type(model(**inputs, return_dict=True))
        assert output.sample.shape == model(**inputs, return_dict=False)[0].shape

    @require_cache_mixin
    def test_navi_cache_enable_disable_state(self):
        self._test_cache_enable_disable_state()

    @require_cache_mixin
    def test_navi_cache_double_enable_raises_error(self):
        self._test_cache_double_enable_raises_error()

    @require_cache_mixin
    def test_navi_cache_hooks_registered(self):
        self._test_cache_hooks_registered()

    @require_cache_mixin
    def test_navi_cache_inference(self):
        self._test_cache_inference()

    @require_cache_mixin
    def test_navi_cache_return_dict(self):
        self._test_cache_return_dict()

    @require_cache_mixin
    def test_navi_cache_context_manager(self):
        self._test_cache_context_manager()

    @require_cache_mixin
    def test_navi_cache_reset_stateful_cache(self):
        self._test_reset_stateful_cache()
