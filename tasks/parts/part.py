"""A part on its way: its folder, what it is asked, and what came back."""

import json
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from medassay.models.atomic_files import folder_written_whole
from medassay.sql.shared import filesystem

IN, OUT, MANIFEST = "in", "out", "manifest.json"


class PartRefused(Exception):
    """A part that must not be evaluated or taken in here; the message says why."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a part asks for.

    Attributes:
        run_id: the run that it belongs to.
        stages: what is to be done, in order.
        fingerprints: what the run asks of each stage's model, by stage.
        code: digest of the views and stages that made the part.
        n_questions: how many whole questions it holds.
    """

    run_id: str
    stages: tuple[str, ...]
    fingerprints: dict[str, str]
    code: str
    n_questions: int


@dataclass(frozen=True, slots=True)
class Done:
    """What became of a part.

    Attributes:
        fingerprints: under which each stage's rows are kept.
        reports: counts and seconds of each stage.
        code: digest of the views and stages that evaluated it.
    """

    fingerprints: dict[str, str]
    reports: dict[str, dict[str, Any]]
    code: str


@dataclass(frozen=True, slots=True)
class Place:
    """The folder of a part: a path, or any URL that fsspec opens."""

    url: str

    def within(self, name: str) -> "Place":
        """Return the place of this name in it."""
        return Place(f"{self.url.rstrip('/')}/{name}")

    @property
    def is_here(self) -> bool:
        """Whether it is a folder among this machine's files."""
        return "://" not in self.url or self.url.startswith("file://")

    def read_json(self, name: str) -> dict[str, Any] | None:
        """Return a file's JSON object, None where there is none."""
        fs, path = self._opened()
        if not fs.exists(f"{path}/{name}"):
            return None
        found: dict[str, Any] = json.loads(fs.cat_file(f"{path}/{name}"))
        return found

    @contextmanager
    def fetched(self) -> Iterator[Path]:
        """Give its files as a local folder while the block runs."""
        fs, path = self._opened()
        if self.is_here:
            yield Path(path)
            return
        with tempfile.TemporaryDirectory(prefix="medassay-part-") as folder:
            fs.get(f"{path}/", f"{folder}/", recursive=True)
            yield Path(folder)

    @contextmanager
    def being_written(self, last: str = MANIFEST, mode: int = 0o700) -> Iterator[Path]:
        """Give an empty local folder; at the block's end its files are there, all or none, in place of what was there.

        Where folders cannot be renamed, the file `last` is taken away first and written last.
        """
        fs, path = self._opened()
        if self.is_here:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            with folder_written_whole(Path(path), mode) as draft:
                yield draft
            return
        with tempfile.TemporaryDirectory(prefix="medassay-part-") as folder:
            yield Path(folder)
            if fs.exists(f"{path}/{last}"):
                fs.rm(f"{path}/{last}")
            for file in sorted(Path(folder).iterdir(), key=lambda file: file.name == last):
                fs.pipe_file(f"{path}/{file.name}", file.read_bytes())

    def remove(self) -> None:
        """Delete it, where it is there."""
        fs, path = self._opened()
        if fs.exists(path):
            fs.rm(path, recursive=True)

    def _opened(self) -> tuple[Any, str]:
        return filesystem(self.url)


def write_manifest(folder: Path, what: Asked | Done) -> None:
    """Write what a part asks for, or what became of it, beside its tables."""
    (folder / MANIFEST).write_text(json.dumps(asdict(what)), encoding="utf-8")


def asked_of(place: Place) -> Asked:
    """Read what a part asks for.

    Raises:
        PartRefused: where no part is in that place.
    """
    found = place.within(IN).read_json(MANIFEST)
    if found is None:
        raise PartRefused(f"{place.url}: no part lies there; it was taken in, or the place is another")
    return Asked(**{**found, "stages": tuple(found["stages"])})


def done_of(place: Place) -> Done | None:
    """Read what became of a part; None where it has not been evaluated."""
    found = place.within(OUT).read_json(MANIFEST)
    return Done(**found) if found is not None else None


def tables_in(folder: Path) -> Sequence[str]:
    """List the tables that lie in a local folder as Parquet."""
    return sorted(file.stem for file in folder.glob("*.parquet"))
