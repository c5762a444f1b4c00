"""ASGI middleware before Prefect's server: reject foreign hosts and origins, forbid foreign content.

Prefect itself asks for the token (`server.api.auth_string`), over HTTP and in the first message of a WebSocket. Its UI
keeps the token in the browser's storage for this origin, which no other port of this machine can read; a cookie would
be sent to every port, so to servers of other users as well. The page `/enter` puts the token there from the fragment
of its address, which a browser sends to nobody.
"""

import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from medassay.flows.serve.access import encoded
from medassay.flows.serve.hosts import Hosts

Message = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]
Receive = Callable[[], Awaitable[Message]]
App = Callable[[Message, Receive, Send], Awaitable[None]]

ENTER = "/enter"
FIRST_PAGE = "/deployments"
POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self' 'unsafe-eval'",  # the graph on a run's page compiles its shaders' code so
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self'",
        "worker-src 'self' blob: data:",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
_ENTER_PAGE = f"""<!doctype html>
<meta charset="utf-8">
<title>MedAssay</title>
<p id="said">Opening …</p>
<script src="{ENTER}.js"></script>
"""
# `prefect-password` is where Prefect's UI, the old and the new, keeps the token that it sends.
_ENTER_SCRIPT = f"""
const token = location.hash.slice(1);
if (token) {{
  localStorage.setItem("prefect-password", token);
  location.replace({json.dumps(FIRST_PAGE)});
}} else {{
  document.getElementById("said").textContent = "Open the whole link that `medassay serve` printed.";
}}
"""
NOT_SERVED = ("docs", "redoc")
"""Pages of the API that load their scripts from other hosts, and would stay blank."""
_PAGES = {ENTER: ("text/html", _ENTER_PAGE), f"{ENTER}.js": ("text/javascript", _ENTER_SCRIPT)}


def enter_link(address: str, token: str) -> str:
    """Return the link that lets a person in without typing the token."""
    return f"{address}{ENTER}#{encoded(token)}"


class Guard:
    """An ASGI app that refuses foreign requests ahead of another, and adds its headers to every reply."""

    def __init__(self, app: App, hosts: Hosts) -> None:
        self.app, self.hosts = app, hosts

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer, refuse or pass on one request or one WebSocket."""
        if scope["type"] not in ("http", "websocket"):
            return await self.app(scope, receive, send)
        refused = self.hosts.refusal(_headers(scope, b"host"), _headers(scope, b"origin"))
        if refused and scope["type"] == "websocket":
            await receive()
            return await send({"type": "websocket.close", "code": 1008, "reason": refused[1]})
        if scope["type"] == "websocket":
            return await self.app(scope, receive, send)
        if refused:
            return await _reply(send, refused[0], "text/plain", refused[1])
        if scope["method"] == "GET" and scope["path"] in _PAGES:
            return await _reply(send, 200, *_PAGES[scope["path"]])
        if scope["path"].removeprefix("/api").split("/")[1:2] in [[name] for name in NOT_SERVED]:
            return await _reply(
                send, 404, "text/plain", "not served: this page would load scripts from other hosts"
            )
        await self.app(scope, receive, _with_headers(send))


def _headers(scope: Message, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key.lower() == name]


async def _reply(send: Send, status: int, kind: str, body: str) -> None:
    content = body.encode()
    headers = {
        "Content-Type": f"{kind}; charset=utf-8",
        "Content-Length": str(len(content)),
        "Cache-Control": "no-store",
    }
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    send = _with_headers(send)
    await send({"type": "http.response.start", "status": status, "headers": raw})
    await send({"type": "http.response.body", "body": content})


def _with_headers(send: Send) -> Send:
    """Add our headers to a reply, in place of any that it has of these names."""
    ours = {name.lower().encode(): value.encode() for name, value in HEADERS.items()}

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            kept = [(name, value) for name, value in message["headers"] if name.lower() not in ours]
            message["headers"] = [*kept, *ours.items()]
        await send(message)

    return sent
