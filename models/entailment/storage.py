"""Where shards lie: a folder on any file system that fsspec knows."""

import secrets


class Storage:
    """A folder on any file system that fsspec knows: a path, `s3://…`, `gs://…`."""

    def __init__(self, url: str) -> None:
        import fsspec

        self.url = url
        self._files, self._root = fsspec.core.url_to_fs(url)

    def _at(self, *parts: str) -> str:
        return "/".join((self._root.rstrip("/"), *parts))

    def write(self, shard: str, name: str, content: bytes) -> None:
        """Write a file of a shard so that readers see the whole of it or nothing."""
        self._files.makedirs(self._at(shard), exist_ok=True)
        draft = self._at(shard, f".{name}.{secrets.token_hex(4)}")
        self._files.pipe_file(draft, content)
        self._files.mv(draft, self._at(shard, name))

    def read(self, shard: str, name: str) -> bytes | None:
        """Read a file of a shard; None where there is none."""
        try:
            return bytes(self._files.cat_file(self._at(shard, name)))
        except FileNotFoundError:
            return None

    def has(self, shard: str, name: str) -> bool:
        """Say whether a shard has a file; never from a listing that was kept."""
        self._files.invalidate_cache()
        return bool(self._files.exists(self._at(shard, name)))

    def delete(self, shard: str) -> None:
        """Delete a shard with all its files; one that is gone is no error."""
        self._files.invalidate_cache()
        try:
            self._files.rm(self._at(shard), recursive=True)
        except FileNotFoundError:
            return
