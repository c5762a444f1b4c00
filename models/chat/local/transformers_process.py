"""Child process that serves a chat model's folder with transformers.

The first line of its stdin is the key that it asks for. It says where it listens in one JSON line on stdout, and ends
when its stdin does: the parent's death closes the pipe, however the parent died.
"""

import hmac
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any


def serve(folder: Path, alias: str) -> None:
    """Load the model, announce the address, and serve under the alias until stdin is closed."""
    # Whatever else is printed, such as the server's line a request, goes where the log goes: nobody reads it here.
    key, announced = os.read(0, 4096).strip(), os.dup(1)
    os.dup2(2, 1)
    # The server knows a model by its path alone, and looks at every request whether it is still there.
    with tempfile.TemporaryDirectory() as shelf:
        (Path(shelf) / alias).symlink_to(folder, target_is_directory=True)
        os.chdir(shelf)
        port = _served(alias, key)
        os.write(announced, json.dumps({"base_url": f"http://127.0.0.1:{port}"}).encode() + b"\n")
        while os.read(0, 4096):
            pass
    os._exit(0)


def _served(alias: str, key: bytes) -> int:
    from transformers.cli.serve import Serve
    from transformers.utils import logging

    class KeyedServe(Serve):  # type: ignore[misc]
        def start_server(self) -> None:
            app = self.server.config.app
            app.add_exception_handler(_TooLong, _refused_as_too_long)
            self.server.config.app = _keyed(app, key)
            super().start_server()

    logging.disable_progress_bar()
    serving = KeyedServe(
        force_model=alias,
        device="cuda" if _has_gpu() else "cpu",
        dtype="auto",
        host="127.0.0.1",
        port=0,
        log_level="error",
        non_blocking=True,
    )
    for loaded in serving._model_manager.loaded_models.values():
        _prepare(loaded)
    while not serving.server.started:
        if not serving._thread.is_alive():
            sys.exit("error: the server ended before it had begun")
        time.sleep(0.01)
    port: int = serving.server.servers[0].sockets[0].getsockname()[1]
    return port


def _keyed(app: Any, key: bytes) -> Any:
    """Return an ASGI app that answers requests with the key alone; whether the server is well needs none."""

    async def asked(scope: Any, receive: Any, send: Any) -> None:
        given = dict(scope.get("headers", ())).get(b"authorization", b"")
        if scope["type"] == "lifespan" or scope.get("path") == "/health":
            await app(scope, receive, send)
        elif scope["type"] == "http" and hmac.compare_digest(given, b"Bearer " + key):
            await app(scope, receive, send)
        elif scope["type"] == "http":
            await send({"type": "http.response.start", "status": 401, "headers": []})
            await send({"type": "http.response.body", "body": b""})

    return asked


def _prepare(loaded: Any) -> None:
    """Have temperatures over 0 heeded, and see whether the chat template takes what it will be given."""
    # Where a model's own settings do not say so, the server reads most probable tokens whatever the temperature.
    loaded.model.generation_config.do_sample = True
    _keep_to_context(loaded.model)
    turns = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello"}]
    try:
        loaded.processor.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
    except Exception as error:
        # A template is a program of the model's makers, which may raise anything.
        print(
            f"error: its chat template takes no instructions ahead of a question ({error})", file=sys.stderr
        )
        os._exit(1)


class _TooLong(Exception):
    """A prompt that leaves no room for a reply."""


async def _refused_as_too_long(_: Any, error: Exception) -> Any:
    from starlette.responses import JSONResponse

    return JSONResponse({"error": {"code": "context_length_exceeded", "message": str(error)}}, 400)


def _keep_to_context(model: Any) -> None:
    """Let no prompt or reply reach over the model's context, behind which it would only babble.

    A prompt that leaves no room for a reply is refused as other servers refuse it; nothing of it is cut.
    """
    context = getattr(model.config.get_text_config(), "max_position_embeddings", None)
    if context is None:
        return
    generate = model.generate

    def kept(*given: Any, generation_config: Any, **inputs: Any) -> Any:
        room = context - inputs["input_ids"].shape[-1]
        if room < 1:
            raise _TooLong(f"it holds {context:,} tokens")
        generation_config.max_new_tokens = min(generation_config.max_new_tokens or room, room)
        return generate(*given, generation_config=generation_config, **inputs)

    model.generate = kept


def _has_gpu() -> bool:
    import torch

    return torch.cuda.is_available()


if __name__ == "__main__":
    serve(Path(sys.argv[1]), sys.argv[2])
