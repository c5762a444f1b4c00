"""What a run would read of sources now: what the world last told, and of what it denies what PubMed's files hold."""

import hashlib
from collections.abc import Sequence

from medassay.models.keys import text_key
from medassay.models.sources.passages import passages_of
from medassay.sql.warehouse import Row, Warehouse, statement
from medassay.tasks.citations.pubmed_files import PubMedFiles


def standing(warehouse: Warehouse, names: Sequence[str]) -> dict[str, Row]:
    """Return by source id whether it is there, who told it, its title, a digest of its text, and its notices.

    Of what `is_filed` the world's last word is that it has no such record; `file` names the file that holds it. `pmids`
    are of a DOI the articles that PubMed told of under it.
    """
    rows = {row["source_id"]: row for row in warehouse.rows(_STANDING, {"names": list(names)})}
    denied = [name for name, row in rows.items() if row["is_denied"]]
    if denied and warehouse.value("select exists (from pubmed_file)"):
        rows |= _held_in_files(warehouse, denied)
    return rows


def _held_in_files(warehouse: Warehouse, names: Sequence[str]) -> dict[str, Row]:
    filed = PubMedFiles(warehouse).resolve(names)
    files = {row["file_digest"]: row["name"] for row in warehouse.rows("from pubmed_file")}
    held: dict[str, Row] = {}
    for name, record in filed.found.items():
        parts = passages_of(record) if record.sections else []
        lines = (f"{part.label} {text_key(part.text)}" for part in parts)
        held[name] = {
            "source_id": name,
            "is_there": True,
            "is_denied": True,
            "is_filed": True,
            "pmids": [],
            "file": files[filed.bodies[name]],
            "title": record.title,
            "origin": filed.origins[name],
            "text": hashlib.md5("\n".join(lines).encode(), usedforsecurity=False).hexdigest()
            if parts
            else None,
            "retracted": record.retracted,
            "concern": record.concern,
            "erratum": record.erratum,
        }
    return held


_STANDING = statement("statements/citations/standing/standing")
