"""HTTP requests with one deadline for the whole response, without redirects.

A time-out of the standard library holds for each read alone: a server that sends a byte now and then is
never late for it.
"""

import functools
import http.client
import io
import re
import socket
import urllib.parse
import urllib.request
from collections.abc import Callable
from typing import Any, cast

Clock = Callable[[], float]


def opener(url: str, deadline: float, clock: Clock) -> urllib.request.OpenerDirector:
    """Return what opens one address; at `deadline`, by `clock`, every read of the answer raises TimeoutError."""
    handlers: list[urllib.request.BaseHandler] = [
        _StayHere(),
        _Http(deadline, clock),
        _Https(deadline, clock),
    ]
    host = urllib.parse.urlsplit(url).hostname or ""
    if host == "localhost" or host == "::1" or re.fullmatch(r"127(\.\d+){3}", host):
        handlers.append(urllib.request.ProxyHandler({}))
    return urllib.request.build_opener(*handlers)


class _StayHere(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: a moved service would receive the key and turn a form into an empty question."""

    def redirect_request(self, *_: object) -> None:
        return None


class _Until(io.RawIOBase):
    """A socket's stream that waits for the next bytes as long as there is time left."""

    def __init__(self, stream: io.RawIOBase, sock: socket.socket, deadline: float, clock: Clock) -> None:
        self._stream, self._sock = stream, sock
        self._deadline, self._clock = deadline, clock

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left_s = self._deadline - self._clock()
        if left_s <= 0:
            raise TimeoutError
        self._sock.settimeout(left_s)
        return cast("int | None", cast(Any, self._stream).readinto(buffer))

    def close(self) -> None:
        self._stream.close()
        super().close()


class _Response(http.client.HTTPResponse):
    def __init__(self, sock: socket.socket, *args: Any, deadline: float, clock: Clock, **named: Any) -> None:
        super().__init__(sock, *args, **named)
        stream = self.fp.detach()
        self.fp = io.BufferedReader(_Until(stream, sock, deadline, clock))


def _in_time(kind: type[http.client.HTTPConnection], deadline: float, clock: Clock) -> Callable[..., Any]:
    def connect(*args: Any, **named: Any) -> http.client.HTTPConnection:
        connection = kind(*args, **named)
        response = functools.partial(_Response, deadline=deadline, clock=clock)
        connection.response_class = response  # type: ignore[assignment]  # called, and nothing else
        return connection

    return connect


class _Http(urllib.request.HTTPHandler):
    def __init__(self, deadline: float, clock: Clock) -> None:
        super().__init__()
        self._connect = _in_time(http.client.HTTPConnection, deadline, clock)

    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(cast(Any, self._connect), req)


class _Https(urllib.request.HTTPSHandler):
    def __init__(self, deadline: float, clock: Clock) -> None:
        super().__init__()
        self._connect = _in_time(http.client.HTTPSConnection, deadline, clock)

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(cast(Any, self._connect), req, context=cast(Any, self)._context)
