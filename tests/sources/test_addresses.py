"""Settings that no request can be sent with: one clear line, and no password in it."""

from typing import Any

import pytest

from medassay.models.sources.choosing import choose_resolvers
from medassay.models.usage import UsageError

ASKED = {"NCBI_EMAIL": "me@example.org", "MEDASSAY_CROSSREF": "1"}


URLS = ("MEDASSAY_NCBI_URL", "MEDASSAY_IDCONV_URL", "MEDASSAY_CROSSREF_URL")


@pytest.mark.parametrize(
    "url",
    ["http://[::1", "http://host:abc", "http://host:99999", "http://:80", "http:///path", "host/path",
     "ftp://host", "http://host?key=1", "http://host#part", "http://host/a b", "http://h\u00fcst"],
)  # fmt: skip
def test_what_is_no_address_is_refused(url: str) -> None:
    for name in URLS:
        with pytest.raises(UsageError) as caught:
            choose_resolvers([], environment={**ASKED, name: url})
        assert str(caught.value) == (
            f"{name} is {url!r}: give an address that begins with https:// or http://, such as https://host/path"
        )


@pytest.mark.parametrize("name", URLS[::2])
@pytest.mark.parametrize(
    "url",
    [
        "https://user:geheim@host/path",
        "http://user:ge/heim@[::1",
        "user:geheim@host",
    ],
)
def test_a_password_in_an_address_is_refused_and_not_repeated(name: str, url: str) -> None:
    with pytest.raises(UsageError) as caught:
        choose_resolvers([], environment={**ASKED, name: url})
    assert str(caught.value) == f"{name} holds a user name or password: give the address without them"


@pytest.mark.parametrize(
    ("name", "value"),
    [("NCBI_EMAIL", "MedAssay \u2013 Klinik"), ("NCBI_TOOL", "a\nb"), ("NCBI_API_KEY", "a\udcff")],
)
def test_a_name_that_cannot_be_sent_is_refused(name: str, value: str) -> None:
    with pytest.raises(UsageError) as caught:
        choose_resolvers([], environment={**ASKED, name: value})
    assert str(caught.value) == (
        f"{name} holds a character that cannot be sent: write it with letters of Latin-1"
    )


@pytest.mark.parametrize("url", ["https://host/path/", "http://[::1]:8080", "HTTP://127.0.0.1:9"])
def test_addresses_are_taken_as_they_are(url: str) -> None:
    names: dict[str, Any] = dict.fromkeys(URLS, url)
    asked = choose_resolvers([], environment={**ASKED, **names, "NCBI_TOOL": "Pr\u00fcfer"})
    assert [resolver.name for resolver in asked][:4] == ["supplied", "pmc", "pubmed", "crossref"]
