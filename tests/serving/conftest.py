"""What needs a server's package is left aside where there is none: `make test-serving` has one for each."""

from importlib.util import find_spec

HELPERS = {"vllm_omni": ("tiny.py", "rank.py"), "sglang": ("tiny.py", "rank.py")}

collect_ignore = [f"{host}/{name}" for host, names in HELPERS.items() if find_spec(host) is None for name in names]
