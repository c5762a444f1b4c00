"""Who is let in: foreign hosts and origins are refused, and the token is kept for its owner alone."""

import asyncio
import stat
from pathlib import Path
from typing import Any

import pytest

from medassay.flows.serve.access import TokenRefused, kept_token, reports_key
from medassay.flows.serve.guard import ENTER, POLICY, Guard, enter_link
from medassay.flows.serve.hosts import hosts_of

HERE = "127.0.0.1:4200"


@pytest.mark.parametrize(
    ("listens", "name", "hosts", "origins", "status"),
    [
        ("127.0.0.1", None, [HERE], [], None),
        ("127.0.0.1", None, ["LOCALHOST:4200"], ["http://localhost:4200"], None),
        ("127.0.0.1", None, ["[::1]:4200"], [], None),
        ("127.0.0.1", None, ["127.0.0.1.evil.example:4200"], [], 421),
        ("127.0.0.1", None, ["10.0.0.1"], [], 421),
        ("127.0.0.1", None, ["[::1"], [], 421),
        ("127.0.0.1", None, [], [], 421),
        ("127.0.0.1", None, [HERE, "evil.example"], [], 421),
        ("127.0.0.1", None, [HERE], ["http://evil.example"], 403),
        ("127.0.0.1", None, [HERE], ["http://127.0.0.1:9999"], 403),
        ("127.0.0.1", None, [HERE], ["null"], 403),
        ("127.0.0.1", None, [HERE], ["http://[::1"], 403),
        ("127.0.0.1", "eval.example", ["eval.example"], [], None),
        ("0.0.0.0", None, ["10.0.0.1:4200"], [], None),
        ("0.0.0.0", None, ["evil.example:4200"], [], 421),
        ("0.0.0.0", "eval.example", ["eval.example:4200"], ["http://eval.example:4200"], None),
    ],
)
def test_foreign_hosts_and_origins_are_refused(
    listens: str, name: str | None, hosts: list[str], origins: list[str], status: int | None
) -> None:
    refused = hosts_of(listens, name).refusal(hosts, origins)
    assert (refused and refused[0]) == status


def asked(path: str, kind: str = "http", **headers: str) -> list[dict[str, Any]]:
    """Send one request through a guard in front of an app that answers everything; return what is sent back."""
    sent: list[dict[str, Any]] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.accept"})
        else:
            await send({"type": "http.response.start", "status": 200, "headers": []})

    async def receive() -> dict[str, Any]:
        return {"type": f"{kind}.connect"}

    async def send(message: Any) -> None:
        sent.append(message)

    raw = [(name.encode(), value.encode()) for name, value in {"host": HERE, **headers}.items()]
    scope = {"type": kind, "method": "GET", "path": path, "headers": raw}
    asyncio.run(Guard(app, hosts_of("127.0.0.1"))(scope, receive, send))
    return sent


def test_a_websocket_is_refused_at_its_handshake() -> None:
    assert asked("/api/events/out", "websocket")[0]["type"] == "websocket.accept"
    for foreign in ({"origin": "http://evil.example"}, {"host": "evil.example"}):
        assert asked("/api/events/out", "websocket", **foreign)[0]["type"] == "websocket.close"


@pytest.mark.parametrize("path", ["/", "/api/version", ENTER, f"{ENTER}.js"])
def test_every_reply_forbids_foreign_requests(path: str) -> None:
    assert dict(asked(path)[0]["headers"])[b"content-security-policy"] == POLICY.encode()
    refused = asked(path, origin="http://evil.example")[0]
    assert refused["status"] == 403
    assert b"access-control-allow-origin" not in dict(refused["headers"])


def test_the_token_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    token = kept_token(tmp_path)
    (file,) = tmp_path.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert kept_token(tmp_path) == token
    assert len(token) > 40
    assert token not in enter_link("http://127.0.0.1:4200", token)
    assert reports_key(token) not in token
    file.chmod(0o644)
    with pytest.raises(TokenRefused, match="nobody else can read"):
        kept_token(tmp_path)
    file.unlink()
    assert kept_token(tmp_path) != token


def test_a_token_behind_a_link_or_an_empty_one_is_refused(tmp_path: Path) -> None:
    (tmp_path / "serve-token").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(TokenRefused):
        kept_token(tmp_path)
    (tmp_path / "serve-token").unlink()
    (tmp_path / "serve-token").touch(0o600)
    with pytest.raises(TokenRefused, match="holds no token"):
        kept_token(tmp_path)


@pytest.mark.parametrize(
    "path", ["/docs", "/docs/", "/redoc", "/api/docs", "/api/redoc", "/docs/oauth2-redirect"]
)
def test_pages_whose_scripts_lie_elsewhere_are_not_served(path: str) -> None:
    assert asked(path)[0]["status"] == 404
    assert asked("/deployments")[0]["status"] == 200
