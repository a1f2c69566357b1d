"""The cache for vLLM-Omni: a cache backend named "navicache". vLLM-Omni is imported only when it loads the plug-in.

The backend puts an engine in front of each transformer's forward, on the instance. A run starts with `refresh`, which
vLLM-Omni calls for every request or batch of requests, and ends with the pipeline's forward; the pipeline's scheduler
provides the step. The settings of a request are read when that forward starts. The entry point
`vllm_omni.general_plugins` names `plugin.register`.
"""
