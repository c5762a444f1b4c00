"""Responses are read within a bound, packed and unpacked: one reply must not fill the memory."""

from importlib import import_module
from typing import Any

from medassay.models.unpacking import ACCEPTED_CODINGS, BodyTooLarge, body_unpacker

LARGEST_BODY = 32 * 2**20
"""Bytes of a response; the longest reply that is read has 200,000 characters, its log-probabilities a hundred times
that."""
HEADERS = {"Accept-Encoding": ACCEPTED_CODINGS}


async def read_within_bound(response: Any) -> None:
    """Read an httpx response's body before httpx does, as a hook of its client.

    Raises:
        BodyTooLarge: where more than `LARGEST_BODY` bytes come, before or after unpacking.
        httpx.TransportError: where the connection breaks, as without this hook.
    """
    # OpenAI's client brings httpx under a name of its own, and streams of one are none to the other.
    own_httpx = import_module(type(response).__module__.partition(".")[0])
    parts: list[bytes] = []
    received = size = 0
    stream = response.stream
    try:
        unpack = body_unpacker(response.headers.get("content-encoding", ""))
        async for chunk in stream:
            received += len(chunk)
            part = unpack(chunk, LARGEST_BODY + 1 - size)
            size += len(part)
            if max(size, received) > LARGEST_BODY:
                raise BodyTooLarge(f"the response is larger than {LARGEST_BODY // 2**20} MiB")
            parts.append(part)
    finally:
        await stream.aclose()
    for name in ("content-encoding", "content-length"):
        response.headers.pop(name, None)
    response.stream = own_httpx.ByteStream(b"".join(parts))
