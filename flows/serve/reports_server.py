"""HTTP server of a home's reports, linked from the Prefect UI."""

import hmac
import html
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from medassay.flows.serve.hosts import Hosts

REPORTS_URL = "MEDASSAY_REPORTS_URL"
"""The variable in which a run finds where its report will be served."""
_NAME = re.compile(r"[\w-]+\.html")
WITHOUT_KEY = "Open the link that `medassay serve` printed, or the one on the run's page."
_HEADERS = {
    # Reports hold patients' words: no copy stays in a browser, and no other site reads one.
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    # A report is one file; its own policy says besides which script it may run.
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; font-src data:;"
        " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
}


class _Reports(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, host: str, port: int, folder: Path, key: str, hosts: Hosts) -> None:
        self.folder, self.key, self.hosts = folder, key, hosts
        super().__init__((host, port), _Answer)


class _Answer(BaseHTTPRequestHandler):
    server: _Reports

    def do_GET(self) -> None:
        refused = self.server.hosts.refusal(
            self.headers.get_all("Host", []), self.headers.get_all("Origin", [])
        )
        _, _, asked = self.path.partition("/")
        key, _, name = asked.partition("/")
        if refused:
            self._send(refused[1], HTTPStatus(refused[0]), "text/plain")
        elif not hmac.compare_digest(key.encode(), self.server.key.encode()):
            self._send(WITHOUT_KEY, HTTPStatus.FORBIDDEN, "text/plain")
        elif not name:
            self._send(_listing(self.server.folder))
        elif (report := _read(self.server.folder, name)) is not None:
            self._send(report)
        else:
            self._send("No such report.", HTTPStatus.NOT_FOUND, "text/plain")

    def _send(self, page: str | bytes, status: HTTPStatus = HTTPStatus.OK, kind: str = "text/html") -> None:
        body = page.encode() if isinstance(page, str) else page
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def end_headers(self) -> None:
        """End the headers of every reply, the errors of the base class among them, with those of safety."""
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the terminal belongs to the runs."""


def _reports(folder: Path) -> list[str]:
    """Return the names of the folder's reports, newest first; a link is none, wherever it leads."""
    if not folder.is_dir():
        return []
    with os.scandir(folder) as entries:
        names = [
            one.name for one in entries if _NAME.fullmatch(one.name) and one.is_file(follow_symlinks=False)
        ]
    return sorted(names, reverse=True)


def _read(folder: Path, name: str) -> bytes | None:
    if name not in _reports(folder):
        return None
    try:
        opened = os.open(folder / name, os.O_RDONLY | os.O_NOFOLLOW)
    except OSError:
        return None
    with open(opened, "rb") as file:
        return file.read()


def _listing(folder: Path) -> str:
    links = "".join(f'<li><a href="{html.escape(name)}">{html.escape(name)}</a>' for name in _reports(folder))
    return f"<!doctype html><title>MedAssay reports</title><h1>Reports</h1><ul>{links or '<li>none yet'}</ul>"


@contextmanager
def serving_reports(host: str, port: int, folder: Path, key: str, hosts: Hosts) -> Iterator[int]:
    """Serve a folder's reports until the block ends; yield the port, which is a free one where 0 was asked for.

    Args:
        host: address to listen at.
        port: to listen at.
        folder: that holds the reports.
        key: first part of every path; whoever does not have it is refused.
        hosts: which requests are answered.

    Raises:
        OSError: when the port is taken.
    """
    with _Reports(host, port, folder, key, hosts) as server:
        Thread(target=server.serve_forever, args=(0.1,), daemon=True).start()
        try:
            yield int(server.server_address[1])
        finally:
            server.shutdown()
