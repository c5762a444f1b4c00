"""Single calls to Prefect's HTTP API before a flow runs."""

import json
import os
import time
import urllib.error
import urllib.request
from typing import Any

from medassay.flows.serve.access import CLIENT_TOKEN, authorization

PATIENCE_S = 30.0
PAUSE_S = 0.5
BUSY = 503
"""What the server says when its database is busy: the same request will be taken later."""


def ask(url: str, body: Any = None, method: str = "POST") -> Any:
    """Send one request and return the reply's JSON; a server that is busy is asked again for half a minute.

    The token in PREFECT_API_AUTH_STRING goes with it, as with the requests of Prefect's own clients.

    Raises:
        urllib.error.URLError: when the server is gone or refuses; `HTTPError`, one of them, has its status.
    """
    headers = {"content-type": "application/json"}
    if token := os.environ.get(CLIENT_TOKEN):
        headers["authorization"] = authorization(token)
    request = urllib.request.Request(
        url, None if body is None else json.dumps(body).encode(), headers, method=method
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
