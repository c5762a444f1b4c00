"""The reports of a home, over HTTP: a page of the Prefect UI may not link to a file, so the link leads here."""

import html
import re
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

REPORTS_URL = "MEDASSAY_REPORTS_URL"
"""The variable in which a run finds where its report will be served."""
_NAME = re.compile(r"/([\w-]+\.html)")
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_HEADERS = {
    "Content-Type": "text/html; charset=utf-8",
    # Reports hold patients' words: no copy stays in a browser, and no other site reads one.
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
}


class _Reports(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, host: str, port: int, folder: Path) -> None:
        self.folder = folder
        self.known = {host, *_LOOPBACK} if host in _LOOPBACK else None
        super().__init__((host, port), _Answer)


class _Answer(BaseHTTPRequestHandler):
    server: _Reports

    def do_GET(self) -> None:
        asked_for = urlsplit("//" + self.headers.get("Host", "")).hostname
        if self.server.known is not None and asked_for not in self.server.known:
            # A site whose name was pointed at this machine would read reports through its visitor's browser.
            self._send("This server answers to its own name only.", HTTPStatus.MISDIRECTED_REQUEST)
        elif self.path == "/":
            self._send(_listing(self.server.folder))
        elif (found := _NAME.fullmatch(self.path)) and (self.server.folder / found[1]).is_file():
            self._send((self.server.folder / found[1]).read_bytes())
        else:
            self._send("No such report; / lists them.", HTTPStatus.NOT_FOUND)

    def _send(self, page: str | bytes, status: HTTPStatus = HTTPStatus.OK) -> None:
        body = page.encode() if isinstance(page, str) else page
        self.send_response(status)
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the terminal belongs to the runs."""


def _listing(folder: Path) -> str:
    names = sorted((path.name for path in folder.glob("*.html")), reverse=True)
    links = "".join(f'<li><a href="/{html.escape(name)}">{html.escape(name)}</a>' for name in names)
    return f"<!doctype html><title>MedAssay reports</title><h1>Reports</h1><ul>{links or '<li>none yet'}</ul>"


@contextmanager
def serving_reports(host: str, port: int, folder: Path) -> Iterator[int]:
    """Serve a folder's reports until the block ends; yield the port, which is a free one where 0 was asked for.

    Raises:
        OSError: when the port is taken.
    """
    with _Reports(host, port, folder) as server:
        Thread(target=server.serve_forever, args=(0.1,), daemon=True).start()
        try:
            yield int(server.server_address[1])
        finally:
            server.shutdown()
