"""Sources are asked about again as a flow: what moved stands on the run's page, and silence ends it red."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from medassay.models.sources.transfer import KeptSource, record_from_row, write_sources
from medassay.models.usage import UsageError
from medassay.sql.warehouse import close_warehouse, warehouse_at
from medassay.tasks.sources.refreshing import Unanswered, refresh_home
from medassay.tasks.sources.transfer import import_sources
from tests.sources import eutils_server

pytestmark = pytest.mark.usefixtures("prefect_server")


@pytest.fixture
def pubmed(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Return a PubMed that has retracted an article since the home was told of it."""
    row = {"source_id": "pmid:1", "title": "Trial", "sections": [{"label": "", "text": "It helped."}]}
    told = KeptSource("pmid:1", "found", record_from_row(row), None, "pubmed", None)
    write_sources(tmp_path / "told.jsonl", [told])
    import_sources(warehouse_at(home), tmp_path / "told.jsonl")
    close_warehouse(home)
    article = eutils_server.Article("1", "Trial", (("", "", "It helped."),), corrections=("RetractionIn",))
    with eutils_server.EUtilsServer([article]) as server:
        monkeypatch.setenv("NCBI_EMAIL", "tests@example.org")
        monkeypatch.setenv("MEDASSAY_NCBI_URL", server.url)
        yield server


def test_what_was_retracted_since_is_shown(home: Path, pubmed: Any) -> None:
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.filters import ArtifactFilter, ArtifactFilterKey

    from medassay.flows.refresh import refresh

    moved = [{"source": "pmid:1", "what": "retracted", "title": "Trial"}]
    assert refresh(home=str(home)) == {"asked": 1, "answered": 1, "new_text": 0, "moved": moved}
    with get_client(sync_client=True) as client:
        (shown,) = client.read_artifacts(
            artifact_filter=ArtifactFilter(key=ArtifactFilterKey(any_=["sources-that-moved"]))
        )
    assert shown.description == "1 source asked about again, 1 answered (pubmed 1)"
    assert "retracted" in str(shown.data)


def test_who_cannot_be_asked_ends_it_red(home: Path, pubmed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from medassay.flows.refresh import refresh

    pubmed.behaviour.always = "error_500"
    with pytest.raises(Unanswered, match=r"^pmid:1: PubMed gave no answer"):
        refresh(home=str(home))
    monkeypatch.delenv("NCBI_EMAIL")
    with pytest.raises(UsageError, match="set NCBI_EMAIL"):
        refresh_home(home, timedelta(0))
