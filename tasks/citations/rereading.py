"""Bodies that are kept, read once more where an older reading read them: nobody is asked again for them."""

import gzip
import json
from itertools import groupby

from medassay.models.sources.rereading import read_again
from medassay.models.sources.resolver import RawBody
from medassay.models.sources.transfer import record_from_row
from medassay.sql.warehouse import Warehouse, statement
from medassay.tasks.citations.sources import READING, Told, keep

_STALE = statement("statements/citations/rereading/stale")


def read_kept_bodies(warehouse: Warehouse) -> None:
    """Read the pending sources anew that an older reading read, a body and a transaction at a time.

    What was told stays as old as it was. What a body alone does not tell is left to be asked for.
    """
    for digest, group in groupby(
        warehouse.rows(_STALE, {"reading": READING}), lambda row: str(row["body_digest"])
    ):
        told = {row["source_id"]: row for row in group}
        (kept,) = warehouse.rows("from source_body where content_digest = ?", [digest])
        raw = RawBody(digest, gzip.decompress(kept["body"]), kept["url"], kept["fetched_at"])
        before = {
            name: (row["origin"], record_from_row(json.loads(row["record"]))) for name, row in told.items()
        }
        again = read_again(raw, before)
        keep(
            warehouse,
            [
                Told(record, told[name]["origin"], digest, told[name]["told_at"])
                for name, record in again.items()
            ],
        )
