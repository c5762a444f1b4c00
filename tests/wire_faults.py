"""What a server can do to the bytes of a response: each fault writes to the connection until it has done its worst."""

import gzip
from collections.abc import Callable, Iterator

Wait = Callable[[float], None]
PAUSE_S = 0.01
"""Between the pieces of what never ends: a test's patience is short."""


def _head(*lines: str) -> bytes:
    return "\r\n".join(("HTTP/1.1 200 X", "Content-Type: application/json", *lines, "", "")).encode()


def _sized(body: bytes, *lines: str) -> bytes:
    return _head(f"Content-Length: {len(body)}", *lines) + body


def drip(reply: bytes) -> Iterator[bytes]:
    """Send the reply a byte at a time, and never all of it."""
    yield _head(f"Content-Length: {10 * len(reply)}")
    while True:
        for byte in reply:
            yield bytes([byte])


def drip_head(reply: bytes) -> Iterator[bytes]:
    """Send the first line a byte at a time, and no end of it."""
    while True:
        yield b"H"


def hang(reply: bytes) -> Iterator[bytes]:
    """Send nothing, and keep the connection."""
    while True:
        yield b""


def half(reply: bytes) -> Iterator[bytes]:
    """Close in the middle of the body."""
    yield _head(f"Content-Length: {2 * len(reply)}") + reply[: len(reply) // 2]


def half_chunk(reply: bytes) -> Iterator[bytes]:
    """Close in the middle of a chunk."""
    yield _head("Transfer-Encoding: chunked") + b"ffff\r\n" + reply


def bad_chunks(reply: bytes) -> Iterator[bytes]:
    """Send chunks whose sizes are none."""
    yield _head("Transfer-Encoding: chunked") + b"-1\r\n" + reply + b"\r\nzz\r\n"


def endless_headers(reply: bytes) -> Iterator[bytes]:
    """Send one header after the other."""
    yield b"HTTP/1.1 200 OK\r\n"
    while True:
        yield b"X-More: " + b"x" * 60_000 + b"\r\n"


def endless_body(reply: bytes) -> Iterator[bytes]:
    """Send a body that never ends, as fast as it is taken."""
    yield _head("Transfer-Encoding: chunked")
    while True:
        yield b"100000\r\n" + b" " * 0x100000 + b"\r\n"


def said_to_be_packed(reply: bytes) -> Iterator[bytes]:
    """Say gzip, and send plain text."""
    yield _sized(reply, "Content-Encoding: gzip")


def packed_in_part(reply: bytes) -> Iterator[bytes]:
    """Send gzip without its end."""
    yield _sized(gzip.compress(reply)[:-12], "Content-Encoding: gzip")


def packed_otherwise(reply: bytes) -> Iterator[bytes]:
    """Pack in a way that was not asked for."""
    yield _sized(reply, "Content-Encoding: br")


def other_protocol(reply: bytes) -> Iterator[bytes]:
    """Speak something else than HTTP."""
    yield b"SSH-2.0-OpenSSH_9.9\r\n"


def no_content(reply: bytes) -> Iterator[bytes]:
    """Say that all went well, and nothing else."""
    yield b"HTTP/1.1 204 No Content\r\n\r\n"


def unknown_charset(reply: bytes) -> Iterator[bytes]:
    """Say a charset that there is not, and send bytes of none."""
    yield f"HTTP/1.1 200 X\r\nContent-Type: application/json; charset=x-none\r\nContent-Length: {len(reply) + 2}\r\n\r\n".encode()
    yield reply[:5] + b"\xff\xfe" + reply[5:]


def web_page(reply: bytes) -> Iterator[bytes]:
    """Send a page, as gateways and captive portals do."""
    page = b"<html><body>Sign in to the hospital's network</body></html>"
    yield b"HTTP/1.1 200 X\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s" % (len(page), page)


def deep_json(reply: bytes) -> Iterator[bytes]:
    """Send JSON that is nested deeper than parsers go."""
    yield _sized(b"[" * 200_000)


WIRE_FAULTS: dict[str, Callable[[bytes], Iterator[bytes]]] = {
    fault.__name__: fault
    for fault in (
        drip, drip_head, hang, half, half_chunk, bad_chunks, endless_headers, endless_body, said_to_be_packed,
        packed_in_part, packed_otherwise, other_protocol, no_content, unknown_charset, web_page, deep_json,
    )
}  # fmt: skip
ENDLESS = ("drip", "drip_head", "hang")
"""Faults that only the caller's patience ends."""


def send_faulty(
    fault: str, reply: bytes, write: Callable[[bytes], object], wait: Wait, stopped: Callable[[], bool]
) -> None:
    """Write what a fault sends, until it ends, the server is closed or the client is gone."""
    for piece in WIRE_FAULTS[fault](reply):
        if stopped():
            return
        write(piece)
        if fault in ENDLESS:
            wait(PAUSE_S)
