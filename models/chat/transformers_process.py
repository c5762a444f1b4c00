"""The child process that serves a folder of a chat model with transformers' own server; run as a script.

It says where it listens in one JSON line on stdout, and ends when its stdin does: the parent's death closes
the pipe, however the parent died. The model is asked for by its folder's name.
"""

import json
import os
import sys
import time
from pathlib import Path


def serve(folder: Path) -> None:
    """Load the model, announce the address, and serve until stdin is closed."""
    os.chdir(folder.parent)
    from transformers.cli.serve import Serve
    from transformers.utils import logging

    logging.disable_progress_bar()
    serving = Serve(
        force_model=folder.name,
        device="cuda" if _has_gpu() else "cpu",
        dtype="auto",
        host="127.0.0.1",
        port=0,
        log_level="error",
        non_blocking=True,
    )
    while not serving.server.started:
        if not serving._thread.is_alive():
            sys.exit("the server ended before it had begun")
        time.sleep(0.01)
    port = serving.server.servers[0].sockets[0].getsockname()[1]
    print(json.dumps({"base_url": f"http://127.0.0.1:{port}"}), flush=True)
    while os.read(0, 4096):
        pass
    os._exit(0)


def _has_gpu() -> bool:
    import torch

    return torch.cuda.is_available()


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
