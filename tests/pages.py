"""Asking the pages of a home of runs as a browser does."""

import http.client
from urllib.parse import urlencode


def ask(port: int, path: str, form: dict[str, str] | None = None) -> tuple[int, str]:
    """Get a page, or send it a form; return the status and the text."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    headers = {"accept": "application/json", "Content-Type": "application/x-www-form-urlencoded"}
    connection.request(
        "GET" if form is None else "POST", path, None if form is None else urlencode(form), headers
    )
    reply = connection.getresponse()
    text = reply.read().decode()
    connection.close()
    return reply.status, text
