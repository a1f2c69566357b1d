"""The cache for SGLang: plug-in hooks of its diffusion workers. SGLang is imported only when it loads the plug-in.

A run starts and ends in `DenoisingStage._run_denoising_loop`. The model is called in `DenoisingStage._predict_noise`,
above compiled modules and CUDA graphs, which are not changed. The state is in the request and ends with its loop. The
entry point `sglang.multimodal_gen.plugins` names `plugin.register`.
"""
