"""Plug-ins that bring the cache to model servers: SGLang and vLLM-Omni. The servers find them by their entry points."""
