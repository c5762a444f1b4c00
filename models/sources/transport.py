"""HTTP requests in sequence with rate limit, deadline and named failures."""

import asyncio
import re
import ssl
import threading
import time
import urllib.parse
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from typing import TYPE_CHECKING

from medassay.models.chat.concurrency import run
from medassay.models.sources.asking import hidden, hidden_in_body, shortened, words_of
from medassay.models.sources.resolver import RawBody, body_digest

if TYPE_CHECKING:
    import httpx

LARGEST_BODY = 256 * 1024 * 1024
_TOO_LARGE = f"its answer is larger than {LARGEST_BODY // 2**20} MiB"
_MOST_READ_OF_AN_ERROR = 1 << 16
_WAITS = 3
_PATIENCE = 3
_LONGEST_WAIT_S = 1e9


class NoAnswer(Exception):
    """A source that was asked gave no answer that can be read; the message says what came instead.

    Attributes:
        status: HTTP status, where there was one.
        body: The first bytes of what came.
        silent: Whether nothing came at all: the next request will fare no better.
        broken: Whether the connection broke or the answer was cut off or too large.
    """

    def __init__(
        self,
        reason: str,
        status: int | None = None,
        body: bytes = b"",
        silent: bool = False,
        broken: bool = False,
    ):
        super().__init__(reason)
        self.status, self.body, self.silent, self.broken = status, body, silent, broken

    def hide(self, secret: Mapping[str, str]) -> None:
        """Take who asks out of what it says and holds: reasons are stored and published."""
        self.args = (hidden(str(self), secret),)
        self.body = hidden_in_body(self.body, secret)


class RateLimit:
    """Lets requests go at a steady rate, whoever sends them."""

    def __init__(self, per_second: float, clock: Callable[[], float], sleep: Callable[[float], None]) -> None:
        self._gap_s = 1.0 / per_second
        self._clock, self._sleep = clock, sleep
        self._free_at = clock()
        self._lock = threading.Lock()

    def wait(self) -> None:
        """Sleep until the next request may go."""
        with self._lock:
            now = self._clock()
            start = max(now, self._free_at)
            self._free_at = start + self._gap_s
        if start > now:
            self._sleep(start - now)


@dataclass(slots=True)
class Transport:
    """Sends requests to one source; none to a host that left three in a row unanswered, until `retry_unavailable`.

    Attributes:
        per_second: Most requests a second.
        timeout_s: Longest wait for the whole of an answer, in seconds.
        longest_wait_s: Longest `Retry-After` that is waited for; until a longer one is over, nothing is sent there.
        agent: Who asks, for the source's log.
        requests: Requests sent so far.
    """

    per_second: float
    timeout_s: float = 60.0
    longest_wait_s: float = 60.0
    agent: str = "medassay"
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    requests: int = 0
    _pace: RateLimit = field(init=False)
    _closed_until: dict[str, float] = field(init=False, default_factory=dict)
    _silent: dict[str, list[str]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._pace = RateLimit(self.per_second, self.clock, self.sleep)

    def ask(
        self, url: str, query: Mapping[str, str], secret: Mapping[str, str] | None = None, post: bool = False
    ) -> RawBody:
        """Ask once; a limited rate is waited out within the bound, all other failures are the caller's.

        Args:
            url: address without a query.
            query: what is asked; it is kept with the answer.
            secret: who asks (key, email); sent, and kept nowhere.
            post: send as a form instead of in the address.

        Raises:
            NoAnswer: whatever kept a whole body with status 200 from arriving.
        """
        host, service = _host(url), f"{_host(url)} {query.get('db', '')}"
        for key in (host, service):
            if len(silent := self._silent.get(key, [])) >= _PATIENCE:
                raise NoAnswer(f"not asked, since it stopped answering: {silent[-1]}", silent=True)
        try:
            answer = self._ask(url, query, secret or {}, post)
        except NoAnswer as none:
            none.hide(secret or {})
            if none.silent:
                # An answer that began says that the host is there, and no more of its other databases.
                for key in (service,) if none.status == 200 else (host, service):
                    self._silent.setdefault(key, []).append(str(none))
            else:
                self._heard(host, service)
            raise
        self._heard(host, service)
        return answer

    def retry_unavailable(self) -> None:
        """Let every host be asked that had stopped answering; what asks to be left alone for a time is left alone."""
        self._silent.clear()

    def _heard(self, *keys: str) -> None:
        for key in keys:
            self._silent.pop(key, None)

    def _ask(self, url: str, query: Mapping[str, str], secret: Mapping[str, str], post: bool) -> RawBody:
        waits = 0
        while True:
            self._refuse_while_closed(url)
            self._pace.wait()
            self.requests += 1
            try:
                body = self._send(url, query, secret, post)
            except _Limited as limited:
                waits += 1
                if limited.wait_s > self.longest_wait_s:
                    self._closed_until[_host(url)] = self.clock() + limited.wait_s
                if waits > _WAITS or limited.wait_s > self.longest_wait_s:
                    raise NoAnswer(
                        f"it limits the rate and asks to wait {limited.wait_s:.0f} s",
                        limited.status,
                        silent=True,
                    ) from None
                self.sleep(limited.wait_s)
                continue
            shown = f"{url}?{urllib.parse.urlencode(query, safe=',:/')}" if query else url
            return RawBody(body_digest(body), body, shown, datetime.now(UTC))

    def _refuse_while_closed(self, url: str) -> None:
        left_s = self._closed_until.get(_host(url), 0.0) - self.clock()
        if left_s > 0:
            raise NoAnswer(
                f"not asked, since it limits the rate and asks to wait another {left_s:.0f} s", silent=True
            )

    def _send(self, url: str, query: Mapping[str, str], secret: Mapping[str, str], post: bool) -> bytes:
        import httpx

        form = urllib.parse.urlencode({**query, **secret})
        address = url if post or not form else f"{url}?{form}"
        try:
            return run(self._exchange(address, form.encode() if post else None, secret))
        except httpx.ConnectError as error:
            raise NoAnswer(f"it cannot be reached ({error})", silent=True) from None
        except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as error:
            said = shortened(f"{type(error).__name__}: {hidden(str(error), secret)}")
            raise NoAnswer(f"the connection broke ({said})", broken=True) from None

    async def _exchange(self, address: str, form: bytes | None, secret: Mapping[str, str]) -> bytes:
        """Ask, and read the whole answer before the deadline, its head included; no redirect is followed."""
        import httpx

        status = None
        client = httpx.AsyncClient(
            follow_redirects=False,  # a moved service would receive the key
            timeout=None,
            trust_env=not is_loopback(address),
            verify=_certificates(),
            headers={"User-Agent": self.agent, "Accept-Encoding": "identity"},
        )
        try:
            async with asyncio.timeout(self.timeout_s), client:
                headers = {"Content-Type": "application/x-www-form-urlencoded"} if form is not None else {}
                method = "GET" if form is None else "POST"
                async with client.stream(method, address, content=form, headers=headers) as response:
                    status = response.status_code
                    if status != 200:
                        raise _named(response, await _beginning(response), secret)
                    return await _whole(response)
        except TimeoutError:
            raise NoAnswer(f"it did not answer within {self.timeout_s:g} s", status, silent=True) from None


@cache
def _certificates() -> ssl.SSLContext:
    return ssl.create_default_context()


def is_loopback(url: str) -> bool:
    """Return whether an address is on this machine: nothing reaches it through a proxy."""
    host = urllib.parse.urlsplit(url).hostname or ""
    return host in ("localhost", "::1") or re.fullmatch(r"127(\.\d+){3}", host) is not None


def _host(url: str) -> str:
    return urllib.parse.urlsplit(url).netloc


class _Limited(NoAnswer):
    """The source limits the rate."""

    def __init__(self, status: int, wait_s: float) -> None:
        super().__init__("it limits the rate", status)
        self.wait_s = wait_s


async def _whole(response: "httpx.Response") -> bytes:
    """Read a body to its announced end."""
    import httpx

    parts: list[bytes] = []
    size = 0
    try:
        async for chunk in response.aiter_raw():
            parts.append(chunk)
            size += len(chunk)
            if size > LARGEST_BODY:
                raise NoAnswer(_TOO_LARGE, broken=True)
    except httpx.RemoteProtocolError:
        announced = response.headers.get("Content-Length")
        if announced is None:
            raise
        raise NoAnswer(f"its answer was cut off after {size} of {announced} bytes", broken=True) from None
    return _unpacked(b"".join(parts), response.headers.get("Content-Encoding", "identity").strip().lower())


async def _beginning(response: "httpx.Response") -> bytes:
    """Read the first bytes of an error's body, as many as come."""
    import httpx

    read = b""
    with suppress(httpx.HTTPError):
        async for chunk in response.aiter_raw():
            read += chunk
            if len(read) >= _MOST_READ_OF_AN_ERROR:
                break
    return read[:_MOST_READ_OF_AN_ERROR]


def _unpacked(body: bytes, coding: str) -> bytes:
    """Unpack what a proxy packed, though it was asked for as it is."""
    if coding in ("", "identity"):
        return body
    windows = {"gzip": (31,), "x-gzip": (31,), "deflate": (zlib.MAX_WBITS, -zlib.MAX_WBITS)}
    for window in windows.get(coding, ()):
        unpacking = zlib.decompressobj(window)
        try:
            whole = unpacking.decompress(body, LARGEST_BODY + 1)
        except zlib.error:
            continue
        if len(whole) > LARGEST_BODY:
            raise NoAnswer(_TOO_LARGE, broken=True)
        if unpacking.eof:
            return whole
    raise NoAnswer(f"its answer is packed as {shortened(coding)} and cannot be unpacked")


def _named(response: "httpx.Response", read: bytes, secret: Mapping[str, str]) -> NoAnswer:
    # More than is shown was read: a secret that is cut would no longer be known as one.
    body, code, retry_after = (
        hidden_in_body(read, secret),
        response.status_code,
        response.headers.get("Retry-After"),
    )
    if code == 429 or (code == 503 and retry_after):
        return _Limited(code, _seconds(retry_after))
    words = words_of(body)
    return NoAnswer(f"it answered HTTP {code}" + (f": {words}" if words else ""), code, body[:2000])


def _seconds(retry_after: str | None) -> float:
    """Read `Retry-After`, seconds or a date; one second where it is missing or unreadable."""
    if retry_after is None:
        return 1.0
    if re.fullmatch(r"\s*[0-9]+\s*", retry_after):
        return min(float(retry_after), _LONGEST_WAIT_S)
    try:
        return max(0.0, (parsedate_to_datetime(retry_after) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError, OverflowError):
        return 1.0
