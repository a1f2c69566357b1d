"""SGLang: through the plug-in hooks of its diffusion workers. Nothing of SGLang is imported before it asks.

`DenoisingStage._run_denoising_loop` is where a run begins and ends, `DenoisingStage._predict_noise` where the model is
called: above compiled modules and CUDA graphs, which stay as they are. State lives in the request, and dies with its
loop. The entry point `sglang.multimodal_gen.plugins` names `plugin.register`.
"""
