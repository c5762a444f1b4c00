"""A disk without room, as far as a process may say so of itself: files take no more bytes than a limit."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_room_beyond(n_bytes: int) -> Iterator[None]:
    """Have the system refuse to make any file larger while the block runs."""
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, usual[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)
