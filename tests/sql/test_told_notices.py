"""Rows in → rows out: notices that anybody told of an article count against who knows of none."""

from datetime import UTC, datetime
from typing import Any

import pytest

from medassay.sql.warehouse import Warehouse


def word(source_id: str, fetch_no: int, origin: str, day: int, said: str, *names: str) -> dict[str, Any]:
    """What was told on a day of January; `said` begins with r, c or e where there is such a notice."""
    at = datetime(2026, 1, day, tzinfo=UTC)
    flags = {flag: "yes" if flag[0] in said else "no" for flag in ("retracted", "concern", "erratum")}
    identifiers = ", ".join(f'"{name}"' for name in (source_id, *names))
    return {
        "source_id": source_id, "fetch_no": fetch_no, "origin": origin, "content_digest": f"{source_id} {fetch_no}",
        "publication_types": "[]", "record": f'{{"identifiers": [{identifiers}]}}', "fetched_at": at, "told_at": at,
        **flags,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([("pmid:1", 1, "pubmed", 1, "")], {}),
        # Who knows of it is believed against who does not, whoever spoke last.
        ([("pmid:1", 1, "crossref", 1, "r"), ("pmid:1", 2, "pubmed files", 2, "")], {"pmid:1": "r"}),
        ([("pmid:1", 1, "pubmed", 1, "c"), ("pmid:1", 2, "pubmed files", 2, "r")], {"pmid:1": "rc"}),
        # Its teller takes it back, also where another joined in, or PMC has it from PubMed.
        ([("pmid:1", 1, "pubmed", 1, "r"), ("pmid:1", 2, "pubmed", 2, "")], {}),
        ([("pmid:1", 1, "pmc", 1, "r"), ("pmid:1", 2, "pubmed", 2, "")], {}),
        ([("pmid:1", 1, "pubmed and crossref", 1, "r"), ("pmid:1", 2, "pubmed", 2, "")], {"pmid:1": "r"}),
        ([("pmid:1", 1, "pubmed and crossref", 1, "r"), ("pmid:1", 2, "pubmed and crossref", 2, "")], {}),
        # By whichever of its names the article is cited.
        (
            [("pmid:1", 1, "pubmed", 1, ""), ("doi:a", 1, "crossref", 2, "re", "pmid:1")],
            {"doi:a": "re", "pmid:1": "re"},
        ),
        # What was told later is not known yet.
        ([("pmid:1", 1, "pubmed", 9, "r")], {}),
    ],
)
def test_who_knows_of_a_notice_is_believed(
    warehouse: Warehouse, words: list[tuple[Any, ...]], expected: dict[str, str]
) -> None:
    warehouse.insert("source", [word(*said) for said in words])
    rows = warehouse.rows("from told_notices('2026-01-05'::timestamptz, 'r')")
    assert {
        row["source_id"]: "".join(flag[0] for flag in ("retracted", "concern", "erratum") if row[flag])
        for row in rows
    } == expected


def test_what_a_run_has_pinned_is_known_to_it(warehouse: Warehouse) -> None:
    warehouse.insert("source", [word("pmid:1", 1, "pubmed", 9, "r")])
    pin = {"source_id": "pmid:1", "fetch_no": 1, "state": "found"}
    warehouse.insert("run_source", [{"run_id": "r", **pin}])
    assert [
        row["retracted"] for row in warehouse.rows("from told_notices('2026-01-05'::timestamptz, 'r')")
    ] == [True]
    assert warehouse.rows("from told_notices('2026-01-05'::timestamptz, 'other')") == []
