"""The fetch stage against a PubMed on loopback that misbehaves: every fault ends in the right state."""

import gzip
import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from models.settings import Settings
from models.sources.choosing import NO_EMAIL, OFFLINE
from models.sources.transport import Transport
from sql.warehouse import Warehouse, close_warehouse
from tasks.fetch import FETCH, prepare
from tasks.pubmed_files import add_file
from tasks.run import RunRef, started_run
from tasks.sources import export_sources, import_sources
from tasks.stages import Report, Unfinished

NOT_FOUND = "PubMed answered, and has no record with this PMID"


@pytest.fixture(scope="module")
def eutils() -> ModuleType:
    """Return the module of the server that stands for NCBI."""
    path = Path(__file__).parent.parent / "sources" / "eutils_server.py"
    spec = importlib.util.spec_from_file_location("eutils_server_of_fetch", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def article(eutils: ModuleType, number: int, **changes: Any) -> Any:
    text = (("RESULTS", "RESULTS", f"Invented drug {number} improved the invented outcome."),)
    return eutils.Article(str(99300000 + number), f"Invented trial {number}", text, **changes)


def ids(*numbers: int) -> list[str]:
    return [f"pmid:{99300000 + number}" for number in numbers]


@pytest.fixture
def pubmed(eutils: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Return a running PubMed of 1,000 invented articles, which this process asks without a pause."""
    send = Transport.__post_init__

    def at_once(self: Transport) -> None:
        self.per_second, self.sleep = 1e6, lambda seconds: None
        send(self)

    monkeypatch.setattr(Transport, "__post_init__", at_once)
    with eutils.EUtilsServer(article(eutils, number) for number in range(1000)) as server:
        monkeypatch.setenv("NCBI_EMAIL", "tests@example.org")
        monkeypatch.setenv("MEDASSAY_NCBI_URL", server.url)
        monkeypatch.delenv("MEDASSAY_CROSSREF", raising=False)
        yield server


@pytest.fixture
def homes(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """Return a maker of further homes; their warehouses are closed afterwards."""
    made: list[Path] = []

    def home(name: str) -> Path:
        made.append(tmp_path / name)
        return made[-1]

    yield home
    for folder in made:
        close_warehouse(folder)


def cite(run: RunRef, source_ids: list[str]) -> None:
    """Give the run one answer with one claim that cites all of these."""
    warehouse = run.warehouse
    pins = {"run_id": run.run_id, "stage": "decompose", "fingerprint": "d"}
    warehouse.insert("run_stage", [pins])
    warehouse.insert(
        "run_stage", [{"run_id": run.run_id, "stage": name, "fingerprint": "e"} for name in ("entail",)]
    )
    warehouse.insert("fingerprint", [{"fingerprint": "e", "stage": "entail", "spec": "{}"}])
    warehouse.insert("question", [{"question_key": "q", "question": "?"}])
    warehouse.insert("run_question", [{"run_id": run.run_id, "question_id": "q", "question_key": "q"}])
    warehouse.insert("text", [{"text_key": "t", "text": "It helps."}])
    answer = {
        "answer_key": "a", "question": "?", "text_key": "t",
        "reference_list": "[]", "cited_spans": "[]", "documents": "[]",
    }  # fmt: skip
    warehouse.insert("answer", [answer])
    member = {"run_id": run.run_id, "question_id": "q", "system": "s", "answer_key": "a"}
    warehouse.insert("run_answer", [member])
    claim = {
        "answer_key": "a", "fingerprint": "d", "position": 0, "text_key": "t", "span_start": 0, "span_end": 9,
        "kind": "claim", "needs_citation": True,
    }  # fmt: skip
    warehouse.insert("claim", [claim])
    key = {"answer_key": "a", "fingerprint": "d", "claim_position": 0}
    warehouse.insert(
        "citation",
        [{**key, "ordinal": n, "marker": f"[{n}]", "source_id": name} for n, name in enumerate(source_ids)],
    )


def fetched(run: RunRef, attempts: int = 1) -> Report:
    """Fetch as the flow does, `attempts` times at most."""
    prepare(run)
    for attempt in range(attempts - 1):
        try:
            return FETCH.run(run, last_attempt=False)
        except Unfinished:
            continue
    return FETCH.run(run)


def states(warehouse: Warehouse) -> dict[str, tuple[str, str | None]]:
    rows = warehouse.rows("select source_id, state, reason from current_source order by source_id")
    return {row["source_id"]: (row["state"], row["reason"]) for row in rows}


def counted(warehouse: Warehouse) -> dict[str, int]:
    rows = warehouse.rows("select state, count(*) as n from current_source group by state order by state")
    return {row["state"]: row["n"] for row in rows}


def citation_states(warehouse: Warehouse) -> dict[str, tuple[str, str | None]]:
    rows = warehouse.rows("select source_id, state, reason from new_citation")
    return {row["source_id"]: (row["state"], row["reason"]) for row in rows}


def test_as_few_requests_as_possible_and_a_second_run_asks_nothing(home: Path, pubmed: Any) -> None:
    cited = ids(*range(450))
    with started_run(home, Settings("d")) as run:
        cite(run, cited)
        report = fetched(run)
        assert counted(run.warehouse) == {"found": 450}
        assert (
            run.warehouse.value(
                "select count(*) from source join source_body on source_body.content_digest = source.body_digest"
            )
            == 450
        )
    assert (report["n_items"], report["n_pending"], report["n_done"], report["n_failed"]) == (
        450,
        450,
        450,
        0,
    )
    assert [len(request.ids) for request in pubmed.requests] == [200, 200, 50]
    with started_run(home, Settings("d")) as run:
        cite(run, cited)
        assert fetched(run)["n_pending"] == 0
        assert counted(run.warehouse) == {"found": 450}
    assert len(pubmed.requests) == 3
