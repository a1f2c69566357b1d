"""vLLM-Omni: a cache backend by the name "navicache". Nothing of vLLM-Omni is imported before it asks.

The backend puts an engine in front of each transformer's forward, on the instance, below whatever calls it. A run is
told by `refresh`, which the host calls for every request or wave of requests, and by the pipeline's scheduler; it is
over with the pipeline's forward. The entry point `vllm_omni.general_plugins` names `plugin.register`.
"""
