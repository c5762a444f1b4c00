"""Where shards lie: a folder on any file system that fsspec knows."""

import secrets
from pathlib import Path

MARK = ".medassay-shards"
"""What says of a place that shards were written there."""


class NotAFile(Exception):
    """What stands under a file's name must not be read: a folder, a device, a pipe, or far too much."""


class StorageGone(Exception):
    """The place is not there, or not what it was: what lay in it may come back with it."""


class Storage:
    """A folder on any file system that fsspec knows: a path, `s3://…`, `gs://…`.

    `url` means the same to whoever is told it: a path is made absolute.
    """

    def __init__(self, url: str) -> None:
        import fsspec

        self.url = url if "://" in url or "::" in url else str(Path(url).expanduser().absolute())
        self._files, self._root = fsspec.core.url_to_fs(self.url)
        self._is_marked = False

    @property
    def is_here(self) -> bool:
        """Say whether it is a folder among the files of this machine, those mounted from elsewhere among them."""
        known = self._files.protocol
        return bool({"file", "local", "memory"} & ({known} if isinstance(known, str) else set(known)))

    def _at(self, *parts: str) -> str:
        return "/".join((self._root.rstrip("/"), *parts))

    def write(self, shard: str, name: str, content: bytes) -> None:
        """Write a file of a shard so that readers see the whole of it or nothing."""
        if not self._is_marked:
            self._files.makedirs(self._root, exist_ok=True)
            self._files.pipe_file(self._at(MARK), b"shards of pairs travel here\n")
            self._is_marked = True
        self._files.makedirs(self._at(shard), exist_ok=True)
        draft = self._at(shard, f".{name}.{secrets.token_hex(4)}")
        self._files.pipe_file(draft, content)
        self._files.mv(draft, self._at(shard, name))

    def read(self, shard: str, name: str, at_most: int | None = None) -> bytes | None:
        """Read a file of a shard, of at most so many bytes; None where there is none.

        Raises:
            NotAFile: before anything is read, when it is no plain file or is larger.
            OSError: when it cannot be read now.
        """
        path = self._at(shard, name)
        self._files.invalidate_cache()
        try:
            found = self._files.info(path)
            if found["type"] != "file":
                raise NotAFile(f"{name} is no file")
            if at_most is not None and (found["size"] or 0) > at_most:
                raise NotAFile(f"{name} has {found['size']} bytes, which is more than {at_most}")
            return bytes(self._files.cat_file(path))
        except FileNotFoundError:
            return None

    def has(self, shard: str, name: str) -> bool:
        """Say whether a shard has a file; never from a listing that was kept."""
        self._files.invalidate_cache()
        return bool(self._files.exists(self._at(shard, name)))

    def delete(self, shard: str) -> None:
        """Delete a shard with all its files; one that is gone is no error.

        Raises:
            StorageGone: when the place is not there, as a share is not that nobody has mounted.
        """
        self._files.invalidate_cache()
        try:
            self._files.rm(self._at(shard), recursive=True)
        except FileNotFoundError:
            if not self._files.exists(self._at(MARK)):
                raise StorageGone(f"{self.url} is not there, or not what it was") from None
