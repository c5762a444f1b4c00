"""Prefect's HTTP API in one call, for what is asked before any flow runs."""

import json
import time
import urllib.error
import urllib.request
from typing import Any

PATIENCE_S = 30.0
PAUSE_S = 0.5
BUSY = 503
"""What the server says when its database is busy: the same request will be taken later."""


def ask(url: str, body: Any = None, method: str = "POST") -> Any:
    """Send one request and return the reply's JSON; a server that is busy is asked again for half a minute.

    Raises:
        urllib.error.URLError: when the server is gone or refuses; `HTTPError`, one of them, has its status.
    """
    request = urllib.request.Request(
        url,
        None if body is None else json.dumps(body).encode(),
        {"content-type": "application/json"},
        method=method,
    )
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            with urllib.request.urlopen(request, timeout=60) as reply:
                return json.loads(reply.read() or b"null")
        except urllib.error.HTTPError as error:
            if error.code != BUSY or time.monotonic() > deadline:
                raise
            time.sleep(PAUSE_S)
