"""Reports and runs over HTTP: what is there, nothing else, and to nobody who came by another name."""

import http.client
from collections.abc import Iterator
from pathlib import Path

import pytest

from medassay.flows.serve.hosts import hosts_of
from medassay.flows.serve.reports_server import WITHOUT_KEY, serving_reports

KEY = "0123456789abcdef"


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    (tmp_path / "secret.txt").write_text("secret")
    folder = tmp_path / "reports"
    folder.mkdir()
    (folder / "20260101T000000-000001.html").write_text("<p>first</p>")
    (folder / "20260108T000000-000002.html").write_text("<p>second</p>")
    (folder / "notes.txt").write_text("secret")
    (folder / "link.html").symlink_to(tmp_path / "secret.txt")
    with serving_reports("127.0.0.1", 0, tmp_path, KEY, hosts_of("127.0.0.1")) as port:
        yield port


def get(port: int, path: str, host: str | None = None, **headers: str) -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    connection.putrequest("GET", path, skip_host=True)
    connection.putheader("Host", host or f"127.0.0.1:{port}")
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders()
    reply = connection.getresponse()
    body = reply.read().decode()
    assert "default-src 'none'" in reply.headers["Content-Security-Policy"]
    connection.close()
    return reply.status, body


def test_a_report_is_served_and_a_home_without_results_says_how_to_get_some(port: int) -> None:
    assert get(port, f"/{KEY}/20260101T000000-000001.html") == (200, "<p>first</p>")
    status, page = get(port, f"/{KEY}/")
    assert status == 200 and "No run has finished in this home yet" in page
    assert get(port, f"/{KEY}") == (307, "")


@pytest.mark.parametrize(
    "path",
    ["missing.html", "notes.txt", "link.html", "%2e%2e/secret.txt", "/etc/passwd"],
)
def test_nothing_else_is(port: int, path: str) -> None:
    assert get(port, f"/{KEY}/{path}") == (404, "No such report.")


@pytest.mark.parametrize("key", ["", "/", f"/{KEY[:-1]}/", "/%C3%BC/", "/20260101T000000-000001.html"])
def test_without_the_key_nothing_is_served(port: int, key: str) -> None:
    assert get(port, key or "/") == (403, WITHOUT_KEY)


def test_a_page_of_another_site_is_refused(port: int) -> None:
    assert get(port, f"/{KEY}/", Origin="http://evil.example")[0] == 403
    assert get(port, f"/{KEY}/", Origin=f"http://127.0.0.1:{port}")[0] == 200


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("[::1]:9", 200),
        ("127.0.0.1.evil.example:80", 421),
        ("", 421),
    ],
)
def test_a_site_that_took_this_machines_address_reads_nothing(port: int, host: str, status: int) -> None:
    assert get(port, f"/{KEY}/", host or " ")[0] == status


def test_a_port_that_is_taken_is_an_error(port: int, tmp_path: Path) -> None:
    with pytest.raises(OSError), serving_reports("127.0.0.1", port, tmp_path, KEY, hosts_of("127.0.0.1")):
        pass
