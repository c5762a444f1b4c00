"""The loopback NCBI, and an Entrez client that waits for nothing."""

from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest

from medassay.models.sources.entrez import Entrez, EntrezSettings
from tests.sources import eutils_server


@pytest.fixture
def eutils() -> ModuleType:
    """Return the module of the server: Article, EUtilsServer, pubmed_xml."""
    return eutils_server


@pytest.fixture
def server() -> Iterator[Any]:
    """Return a server of the invented articles."""
    with eutils_server.EUtilsServer(eutils_server.INVENTED) as running:
        yield running


@pytest.fixture
def slept() -> list[float]:
    """Return the list of waits, in seconds, that a client would have made."""
    return []


@pytest.fixture
def entrez_at(slept: list[float]) -> Callable[..., Entrez]:
    """Return a maker of clients that note their waits in `slept` instead of waiting."""

    def make(server: Any, **changes: Any) -> Entrez:
        settings = EntrezSettings(
            **{
                "email": "tests@example.org",
                "base_url": server.url,
                "converter_url": f"{server.url}/idconv",
                "timeout_s": 5.0,
                "requests_per_second": 1e6,
                **changes,
            }
        )
        return Entrez(settings, sleep=slept.append)

    return make
