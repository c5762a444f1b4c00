"""HTTP server of a home: the list of its runs, their reports, answers side by side; linked from the Prefect UI."""

import hmac
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlencode

from medassay.flows.serve.access import annotator_key, form_key, one
from medassay.flows.serve.annotation_pages import AnnotationPages, Given
from medassay.flows.serve.guard import App, Message, Receive, Send
from medassay.flows.serve.home_pages import FORM_REFUSED, NO_REPORT, TOLD, HomePages, NotFound, Refused
from medassay.flows.serve.hosts import Hosts
from medassay.models.report import browse
from medassay.sql.snapshot import NothingPublished
from medassay.tasks.judge_training.browser_checks import CheckedData
from medassay.tasks.people.clicks import runs_with_clicks
from medassay.tasks.people.in_browser import Order

REPORTS_URL = "MEDASSAY_REPORTS_URL"
"""The variable in which a run finds where its report will be served."""
WITHOUT_KEY = "Open the link that `medassay serve` printed, or the one on the run's page."
ANNOTATOR = "a"
MOST_BYTES = 64 * 1024
"""The largest form that is read."""
SAFETY = {
    # Reports hold patients' words: no copy stays in a browser, and no other site reads one.
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}
# A report is one file; its own policy says besides which script it may run.
REPORT_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; font-src data:;"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class Door:
    """An ASGI app that lets a request in where host, origin and key are right, and adds the headers of safety."""

    def __init__(self, app: App, key: str, hosts: Hosts) -> None:
        self.app, self.key, self.hosts = app, key, hosts

    def behind(self, path: str) -> str | None:
        """Return what a path asks for behind its key, None where the key is wrong.

        An annotator's own key stands behind `a` and a name, and leads to that annotator's pages alone.
        """
        key, _, rest = path.removeprefix("/").partition("/")
        if hmac.compare_digest(key.encode(), self.key.encode()):
            return None if rest.startswith(f"{ANNOTATOR}/") else rest
        if key == ANNOTATOR:
            name, _, rest = rest.partition("/")
            own, _, rest = rest.partition("/")
            if hmac.compare_digest(own.encode(), annotator_key(self.key, name).encode()):
                return f"{ANNOTATOR}/{name}/{rest}"
        return None

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Refuse or pass on one request; the key is taken off its path."""
        if scope["type"] != "http":
            return
        headers: list[tuple[bytes, bytes]] = scope["headers"]
        named = {
            wanted: [value.decode("latin-1") for name, value in headers if name == wanted]
            for wanted in (b"host", b"origin")
        }
        refused = self.hosts.refusal(named[b"host"], named[b"origin"])
        rest = self.behind(scope["path"])
        if not refused and rest is None:
            refused = 403, WITHOUT_KEY

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = {name for name, _ in message["headers"]}
                add = {"content-security-policy": REPORT_POLICY, "referrer-policy": "no-referrer", **SAFETY}
                message["headers"] += [
                    (name.encode(), value.encode())
                    for name, value in add.items()
                    if name.encode() not in given
                ]
            await send(message)

        async def answer(status: int, words: str, *more: tuple[bytes, bytes]) -> None:
            body = words.encode()
            start = [
                (b"content-type", b"text/plain; charset=utf-8"),
                (b"content-length", str(len(body)).encode()),
            ]
            await send_safely({"type": "http.response.start", "status": status, "headers": [*start, *more]})
            await send({"type": "http.response.body", "body": body})

        if refused:
            await answer(*refused)
        elif not rest and not scope["path"].endswith("/"):
            # Links of the page are relative to a folder.
            await answer(307, "", (b"location", f"/{self.key}/".encode()))
        else:
            await self.app(
                {**scope, "path": f"/{rest}", "raw_path": f"/{rest}".encode()}, receive, send_safely
            )


def home_app(home: Path, key: str, hosts: Hosts, people: AnnotationPages) -> App:
    """Return the app that serves a home's pages, reports and forms to whoever has the key."""
    from fastapi import FastAPI, Request
    from fastapi.concurrency import run_in_threadpool
    from fastapi.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response

    pages = HomePages(home, key, people)
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    ours = {"content-security-policy": browse.policy(), "referrer-policy": "same-origin"}

    async def form_of(request: Request) -> bytes | None:
        """Return a form's bytes, None where they are too many."""
        body = bytearray()
        async for chunk in request.stream():
            body += chunk
            if len(body) > MOST_BYTES:
                return None
        return bytes(body)

    def told(error: Exception, status: int) -> Response:
        return HTMLResponse(browse.told_page("That did not work", f"{error}."), status, ours)

    scoring = {**ours, "content-security-policy": browse.policy(scoring=True)}

    def asked(request: Request, page: Callable[[Given], str]) -> Response:
        try:
            return HTMLResponse(page(parse_qs(request.url.query)), headers=scoring)
        except (*TOLD, NothingPublished) as error:
            return told(error, 409)

    @app.get("/a/{annotator}/cases/")
    def get_case(request: Request, annotator: str) -> Response:
        return asked(request, partial(people.case_page, annotator))

    @app.get("/a/{annotator}/jury/{training}/{iteration}/")
    def get_jury_case(request: Request, annotator: str, training: str, iteration: int) -> Response:
        return asked(request, partial(people.jury_page, annotator, training, iteration))

    @app.get("/a/{annotator}/")
    def get_answer(request: Request, annotator: str) -> Response:
        return asked(request, partial(people.page, annotator))

    @app.post("/a/{annotator}/cases/score")
    async def post_check(request: Request, annotator: str) -> Response:
        return await scored(request, annotator, partial(people.case_score, annotator))

    @app.post("/a/{annotator}/jury/{training}/{iteration}/score")
    async def post_vote(request: Request, annotator: str, training: str, iteration: int) -> Response:
        return await scored(request, annotator, partial(people.jury_score, annotator, training, iteration))

    @app.post("/a/{annotator}/score")
    async def post_score(request: Request, annotator: str) -> Response:
        return await scored(request, annotator, partial(people.score, annotator))

    async def scored(request: Request, annotator: str, save: Callable[[Given], str]) -> Response:
        # Words that a person took back come as an empty field.
        body = (await form_of(request) or b"").decode("utf-8", "replace")
        given = parse_qs(body, keep_blank_values=True)
        own = form_key(annotator_key(key, annotator))
        if not hmac.compare_digest(one(given, "form_key").encode(), own.encode()):
            return PlainTextResponse(FORM_REFUSED, 403)
        try:
            said = await run_in_threadpool(save, given)
        except (*TOLD, NothingPublished) as error:
            return PlainTextResponse(f"{error}", 409)
        if "application/json" in request.headers.get("accept", ""):
            return Response(said, media_type="application/json")
        of_run = f"?{urlencode({'run': run})}" if (run := one(given, "run")) else ""
        return RedirectResponse(f"./{of_run}", 303, ours)

    @app.get("/{name:path}")
    def get(request: Request, name: str) -> Response:
        try:
            if name.endswith(".html"):
                return HTMLResponse(pages.report(name))
            given = parse_qs(request.url.query)
            return HTMLResponse(pages.page(name, given), headers=ours)
        except NotFound:
            return PlainTextResponse(NO_REPORT, 404)
        except TOLD as error:
            return told(error, 409)

    @app.post("/{name:path}")
    async def post(request: Request, name: str) -> Response:
        body = await form_of(request)
        if body is None:
            return PlainTextResponse("This form is too large.", 413)
        try:
            said = await run_in_threadpool(pages.form, name, parse_qs(body.decode("utf-8", "replace")))
        except NotFound:
            return PlainTextResponse(NO_REPORT, 404)
        except Refused:
            return PlainTextResponse(FORM_REFUSED, 403)
        except TOLD as error:
            return told(error, 409)
        return RedirectResponse(f"./?{urlencode({'said': said})}", 303, ours)

    return Door(app, key, hosts)


@contextmanager
def serving_reports(
    host: str,
    port: int,
    home: Path,
    key: str,
    hosts: Hosts,
    order: Order = "blind",
    names: Sequence[str] = (),
    *,
    named: bool = False,
    checked: CheckedData | None = None,
) -> Iterator[int]:
    """Serve a home until the block ends; yield the port, which is a free one where 0 was asked for.

    Args:
        host: address to listen at.
        port: to listen at.
        home: whose runs and reports are shown.
        key: first part of every path; whoever does not have it is refused.
        hosts: which requests are answered.
        order: in which annotators see answers.
        names: annotators who are listed before they have scored anything.
        named: whether annotators see whose answer it is.
        checked: data of a judge that experts check here.

    Raises:
        OSError: when the port is taken.
    """
    import uvicorn

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, port), family=family) as listening:
        config: dict[str, Any] = dict(
            log_config=None,
            access_log=False,
            lifespan="off",
            server_header=False,
            timeout_graceful_shutdown=1,
        )
        people = AnnotationPages(home, key, order, names, named=named, checked=checked)
        server = uvicorn.Server(uvicorn.Config(home_app(home, key, hosts, people), **config))
        thread = Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        if runs_with_clicks(home) or (checked and checked.by_expert()):
            people.start()
        try:
            yield int(listening.getsockname()[1])
        finally:
            server.should_exit = True
            thread.join(5)
            people.stop()
