"""Requests: their pace, their patience, what is read of `Retry-After`, and what is kept of the address."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from medassay.models.sources.asking import hidden_in_body, words_of
from medassay.models.sources.entrez import EntrezSettings
from medassay.models.sources.pmc import Pmc
from medassay.models.sources.pubmed import PubMed
from medassay.models.sources.transport import NoAnswer, RateLimit, Transport
from medassay.models.usage import UsageError


def test_requests_go_at_a_steady_pace() -> None:
    now = 100.0
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        nonlocal now
        slept.append(round(seconds, 6))
        now += seconds

    pace = RateLimit(4.0, lambda: now, sleep)
    for _ in range(3):
        pace.wait()
    now += 10.0
    pace.wait()
    pace.wait()
    assert slept == [0.25, 0.25, 0.25]


@pytest.mark.parametrize(
    "retry_after, wait_s",
    [
        ("12", 12.0),
        ("0", 0.0),
        ("soon", 1.0),
    ],
)
def test_retry_after_is_seconds_or_a_date(
    server: Any, slept: list[float], retry_after: str, wait_s: float
) -> None:
    server.behaviour.queue.append("rate_limited")
    server.behaviour.retry_after = retry_after
    transport = Transport(1e9, sleep=slept.append)
    transport.ask(f"{server.url}/efetch.fcgi", {"db": "pubmed", "id": "99000001"}, post=True)
    assert [wait for wait in slept if wait > 1e-6 or wait == 0.0] == [wait_s]
    assert transport.requests == 2


def test_a_wait_without_end_is_a_number(server: Any, slept: list[float]) -> None:
    server.behaviour.queue.append("rate_limited")
    server.behaviour.retry_after = "9" * 5000
    with pytest.raises(NoAnswer, match="it limits the rate and asks to wait 1000000000 s"):
        Transport(1e9, sleep=slept.append).ask(f"{server.url}/efetch.fcgi", {"db": "pubmed", "id": "1"})


def test_patience_with_a_limited_rate_ends(
    server: Any, entrez_at: Callable[..., Any], slept: list[float]
) -> None:
    server.behaviour.always = "rate_limited"
    server.behaviour.retry_after = "2"
    result = PubMed(entrez_at(server)).resolve(["pmid:99000001"])
    assert [wait for wait in slept if wait > 1.0] == [2.0, 2.0, 2.0]
    assert (result.requests, list(result.unresolved)) == (4, ["pmid:99000001"])


SECRET = {"tool": "medassay", "email": "someone+ncbi@example.org", "api_key": "SECRETKEY/0123456789"}


@pytest.mark.parametrize("fault", ["echo_json", "echo_page", "echo_ok"])
@pytest.mark.parametrize("name", ["pmid:99000001", "doi:10.5555/x", "pmcid:PMC12"])
def test_who_asks_is_in_nothing_that_is_told_of_a_source(
    server: Any, entrez_at: Callable[..., Any], fault: str, name: str
) -> None:
    server.behaviour.everywhere, server.behaviour.always = True, fault
    entrez = entrez_at(server, email=SECRET["email"], api_key=SECRET["api_key"])
    resolver = Pmc(entrez) if name.startswith("pmcid") else PubMed(entrez)
    told = str(resolver.resolve([name])).lower()
    assert list(resolver.resolve([name]).unresolved) == [name]
    assert "secretkey" not in told and "someone" not in told


def test_a_secret_that_is_cut_is_hidden() -> None:
    for length in range(100, 170):
        body = json.dumps({"error": "x" * length + SECRET["api_key"] + SECRET["email"]}).encode()
        assert "SECRET" not in words_of(hidden_in_body(body, SECRET))


def test_a_service_that_has_moved_gets_no_key(server: Any) -> None:
    server.behaviour.queue.append("moved")
    with pytest.raises(NoAnswer) as caught:
        Transport(1e9).ask(f"{server.url}/efetch.fcgi", {"id": "1"}, {"api_key": "secret"}, post=True)
    assert (caught.value.status, len(server.requests)) == (301, 1)


def test_headers_that_trickle_end_at_the_deadline(server: Any) -> None:
    server.behaviour.always = "drip"
    with pytest.raises(NoAnswer, match=r"it did not answer within 0\.2 s"):
        Transport(1e9, timeout_s=0.2).ask(f"{server.url}/efetch.fcgi", {"id": "1"})


def test_a_source_that_wants_to_be_left_alone_is_left_alone(
    server: Any, entrez_at: Callable[..., Any]
) -> None:
    server.behaviour.always = "rate_limited_long"
    result = PubMed(entrez_at(server, batch=1)).resolve([f"pmid:{pmid}" for pmid in server.articles])
    assert (result.requests, len(server.requests), len(result.unresolved)) == (1, 1, 12)
    assert (
        "not asked, since it limits the rate and asks to wait another 3" in result.unresolved["pmid:99000002"]
    )


def test_it_is_asked_again_when_the_wait_is_over(server: Any) -> None:
    now = 0.0
    transport = Transport(1e9, clock=lambda: now, sleep=lambda seconds: None)
    server.behaviour.queue.append("rate_limited_long")
    for later, status in ((0.0, 429), (3599.0, None)):
        now = later
        with pytest.raises(NoAnswer) as caught:
            transport.ask(f"{server.url}/efetch.fcgi", {"db": "pubmed", "id": "99000001"})
        assert (caught.value.status, transport.requests) == (status, 1)
    now = 3601.0
    transport.ask(f"{server.url}/efetch.fcgi", {"db": "pubmed", "id": "99000001"})
    assert transport.requests == 2


@pytest.mark.parametrize("batch", [0, 201])
def test_a_batch_that_ncbi_would_cut_is_refused(batch: int) -> None:
    with pytest.raises(UsageError, match=f"a PubMed batch of {batch} is not possible: choose 1 to 200"):
        EntrezSettings(batch=batch)
