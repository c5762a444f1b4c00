"""Runs that cite invented articles, and what became of their sources: what the tests of fetching share."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from medassay.models.settings import Settings
from medassay.sql.warehouse import Warehouse
from medassay.tasks.run import RunRef, started_run
from medassay.tasks.sources.pubmed_files import add_file
from medassay.tasks.stages.fetch import fetch, prepare
from medassay.tasks.stages.stage import Report, Unfinished
from tests.rows import give_answer


def article(eutils: ModuleType, number: int, **changes: Any) -> Any:
    text = (("RESULTS", "RESULTS", f"Invented drug {number} improved the invented outcome."),)
    return eutils.Article(str(99300000 + number), f"Invented trial {number}", text, **changes)


def ids(*numbers: int) -> list[str]:
    return [f"pmid:{99300000 + number}" for number in numbers]


def cite(run: RunRef, source_ids: list[str], by: str = "a") -> None:
    """Give the run an answer, by a system of its own, with one claim that cites all of these."""
    warehouse = run.warehouse
    for stage in ("decompose", "entail"):
        warehouse.insert("run_stage", [{"run_id": run.run_id, "stage": stage, "fingerprint": stage[0]}])
    warehouse.insert("fingerprint", [{"fingerprint": "e", "stage": "entail", "spec": "{}"}])
    give_answer(warehouse, run.run_id, "It helps.", answer_key=by, system=by)
    claim = {
        "answer_key": by, "fingerprint": "d", "position": 0, "text_key": "t", "span_start": 0, "span_end": 9,
        "kind": "claim", "needs_citation": True,
    }  # fmt: skip
    warehouse.insert("claim", [claim])
    key = {"answer_key": by, "fingerprint": "d", "claim_position": 0}
    warehouse.insert(
        "citation",
        [{**key, "ordinal": n, "marker": f"[{n}]", "source_id": name} for n, name in enumerate(source_ids)],
    )


def fetched(run: RunRef, attempts: int = 1) -> Report:
    """Fetch as the flow does, `attempts` times at most."""
    prepare(run)
    for _ in range(attempts - 1):
        try:
            return fetch.run(run, last_attempt=False)
        except Unfinished:
            continue
    return fetch.run(run)


@contextmanager
def fetching(home: Path, cited: list[str], *, file: Path | None = None, **chosen: Any) -> Iterator[RunRef]:
    """Begin a run whose one answer cites these, fetch them, one of PubMed's files first, and give the run."""
    with started_run(home, Settings("d", **chosen)) as run:
        if file:
            add_file(run.warehouse, file)
        cite(run, cited)
        fetched(run)
        yield run


def states(warehouse: Warehouse) -> dict[str, tuple[str, str | None]]:
    rows = warehouse.rows("select source_id, state, reason from current_source order by source_id")
    return {row["source_id"]: (row["state"], row["reason"]) for row in rows}


def flags(warehouse: Warehouse) -> dict[str, tuple[str, int | None, str, str]]:
    rows = warehouse.rows("select source_id, state, fetch_no, retracted, erratum from current_source")
    return {row.pop("source_id"): tuple(row.values()) for row in rows}


def told_by(warehouse: Warehouse) -> dict[str, tuple[str, str, int, str]]:
    """Return who told each source of the run, its title, how many passages it has, and whether it is retracted."""
    rows = warehouse.rows(
        "select source.*, (select count(*) from passage where passage.source_id = source.source_id"
        " and passage.fetch_no = source.fetch_no) as n from current_source as source where fetch_no is not null"
    )
    return {row["source_id"]: (row["origin"], row["title"], row["n"], row["retracted"]) for row in rows}
