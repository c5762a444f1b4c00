"""A PubMed on loopback and a Crossref beside it, for this folder's tests."""

from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

from medassay.models.sources.transport import Transport
from tests.sources import eutils_server
from tests.tasks.citations.asking import article


@pytest.fixture(scope="module")
def eutils() -> ModuleType:
    """Return the module of the server that stands for NCBI."""
    return eutils_server


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
def crossref(pubmed: Any, eutils: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Return a PubMed without abstracts of three articles; beside it a Crossref that has one of the first."""
    for number in (1, 2, 3):
        doi = None if number == 3 else f"10.5555/{number}"
        pubmed.articles[str(99300000 + number)] = eutils.Article(
            str(99300000 + number), f"Invented trial {number}", doi=doi
        )
    abstract = "<jats:p>It &lt;i&gt;helped&lt;/i&gt;.</jats:p>"
    pubmed.behaviour.crossref = {
        "10.5555/1": {"DOI": "10.5555/1", "title": ["Another wording"], "abstract": abstract,
                      "updated-by": [{"type": "retraction"}]},
        "10.5555/2": {"DOI": "10.5555/2", "title": ["Invented trial 2"]},
    }  # fmt: skip
    monkeypatch.setenv("MEDASSAY_CROSSREF", "1")
    monkeypatch.setenv("MEDASSAY_CROSSREF_URL", pubmed.url)
    yield pubmed
