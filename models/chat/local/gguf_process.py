"""Child process that serves a GGUF file with llama.cpp.

The first line of its stdin is the key that it asks for. It says where it listens in one JSON line on stdout, and ends
when its stdin does: the parent's death closes the pipe, however the parent died.
"""

import ctypes
import json
import os
import sys
from importlib.util import find_spec
from pathlib import Path


def load_openmp() -> None:
    """Load the OpenMP library that xllamacpp wants: small systems have none, PyTorch brings its own."""
    try:
        ctypes.CDLL("libgomp.so.1", ctypes.RTLD_GLOBAL)
    except OSError:
        torch = find_spec("torch")
        for path in Path(torch.origin).parent.glob("lib/libgomp.so.1") if torch and torch.origin else ():
            ctypes.CDLL(str(path), ctypes.RTLD_GLOBAL)


def serve(model_path: str, alias: str, n_ctx: int, n_threads: int) -> None:
    """Load the model, announce the address, and serve until stdin is closed."""
    key = os.read(0, 4096).decode().strip()
    load_openmp()
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = model_path
    params.model_alias = {alias}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [key]
    params.n_ctx = n_ctx
    params.n_parallel = 1
    params.cache_prompt = True
    params.cache_ram_mib = 0
    params.warmup = False
    params.offline = True
    params.ui = False
    params.endpoint_slots = False
    params.cors_origins = ""
    params.cpuparams.n_threads = n_threads
    params.cpuparams_batch.n_threads = n_threads
    server = xllamacpp.Server(params)
    print(json.dumps({"base_url": server.listening_address}), flush=True)
    while os.read(0, 4096):
        pass
    os._exit(0)


if __name__ == "__main__":
    serve(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
