"""Tags of runs: words that people put on them, in a file of the home beside the warehouse, which a run may hold."""

import json
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path
from threading import Lock

from medassay.models.atomic_files import written_whole

TAGS_FILE = "run-tags.json"
MOST_TAGS, LONGEST_TAG = 12, 40
_writing = Lock()


def tags_of(home: Path) -> dict[str, list[str]]:
    """Return each run's tags; a file that cannot be read holds none."""
    with suppress(FileNotFoundError, ValueError, AttributeError):
        found = json.loads((home / TAGS_FILE).read_text("utf-8"))
        return {str(run): [str(tag) for tag in tags] for run, tags in found.items() if isinstance(tags, list)}
    return {}


def tag_run(home: Path, run_id: str, words: str) -> list[str]:
    """Give a run these tags, with commas between them, in place of those that it has; return them."""
    tags = list(
        dict.fromkeys(tag[:LONGEST_TAG] for word in words.split(",") if (tag := " ".join(word.split())))
    )
    with _writing:
        _write(home, {**tags_of(home), run_id: tags[:MOST_TAGS]})
    return tags[:MOST_TAGS]


def drop_tags(home: Path, run_ids: Collection[str]) -> None:
    """Forget the tags of runs that are gone."""
    with _writing:
        kept = {run: tags for run, tags in tags_of(home).items() if run not in run_ids}
        if kept != tags_of(home):
            _write(home, kept)


def _write(home: Path, tags: Mapping[str, list[str]]) -> None:
    place = home / TAGS_FILE
    if not place.exists():
        place.touch(0o600)
    with written_whole(place) as file:
        json.dump({run: of_run for run, of_run in sorted(tags.items()) if of_run}, file, ensure_ascii=False)
    place.chmod(0o600)
