"""NCBI's services on loopback, with DTD-valid XML and every way they fail.

`with EUtilsServer(ARTICLES) as server`: it serves `/efetch.fcgi` (pubmed, pmc), `/esearch.fcgi`, `/idconv/`, and Crossref's `/works/<doi>`.
"""

import gzip
import json
import socket
import struct
import threading
import time
import urllib.parse
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from xml.sax.saxutils import escape, quoteattr

PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "deflate_bare": lambda body: zlib.compress(body, wbits=-15),
    "gzip_cut": lambda body: gzip.compress(body)[:-20],
    "br": lambda body: body,
}
"""How a proxy packs what was asked for as it is."""
DTD = "pubmed_250101.dtd"
PUBMED_HEAD = (
    '<?xml version="1.0" ?>\n<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2025//EN" '
    f'"https://dtd.nlm.nih.gov/ncbi/pubmed/out/{DTD}">\n'
)
PMC_HEAD = (
    '<?xml version="1.0"  ?><!DOCTYPE pmc-articleset PUBLIC "-//NLM//DTD ARTICLE SET 2.0//EN" '
    '"https://dtd.nlm.nih.gov/ncbi/pmc/articleset/nlm-articleset-2.0.dtd">'
)


@dataclass(frozen=True)
class Article:
    """What the server knows of one article; texts are XML fragments, so that markup can be served."""

    pmid: str
    title: str = "A title"
    sections: tuple[tuple[str, str, str], ...] = ()
    """(Label, NlmCategory, text) in order; empty strings leave the attribute out."""
    year: str = "2019"
    journal: str = "Journal of Invented Results"
    types: tuple[tuple[str, str], ...] = (("D016428", "Journal Article"),)
    corrections: tuple[str, ...] = ()
    doi: str | None = None
    pmcid: str | None = None
    book: bool = False
    version: int = 1
    other_abstracts: tuple[tuple[str, str, str], ...] = ()
    """(Type, Language, text)."""
    body: str | None = None
    """JATS body for PMC, None where the publisher does not allow it."""

    def xml(self) -> str:
        """Write the article as PubMed does."""
        return _book(self) if self.book else _article(self)


def _ids(article: Article) -> str:
    ids = [("pubmed", article.pmid), ("doi", article.doi), ("pmc", article.pmcid)]
    return "".join(f'<ArticleId IdType="{kind}">{escape(v)}</ArticleId>' for kind, v in ids if v)


def _abstract(sections: Iterable[tuple[str, str, str]]) -> str:
    parts = ""
    for label, category, text in sections:
        named = f" Label={quoteattr(label)}" if label else ""
        named += f' NlmCategory="{category}"' if category else ""
        parts += f"<AbstractText{named}>{text}</AbstractText>"
    return f"<Abstract>{parts}</Abstract>" if parts else ""


def _article(a: Article) -> str:
    types = "".join(f'<PublicationType UI="{ui}">{name}</PublicationType>' for ui, name in a.types)
    corrections = "".join(
        f'<CommentsCorrections RefType="{kind}"><RefSource>J Invent Res. 2021;1:1</RefSource>'
        f'<PMID Version="1">99999999</PMID></CommentsCorrections>'
        for kind in a.corrections
    )
    others = "".join(
        f'<OtherAbstract Type="{kind}" Language="{language}"><AbstractText>{text}</AbstractText></OtherAbstract>'
        for kind, language, text in a.other_abstracts
    )
    place = f'<ELocationID EIdType="doi" ValidYN="Y">{escape(a.doi)}</ELocationID>' if a.doi else ""
    return (
        f'<PubmedArticle><MedlineCitation Status="MEDLINE" Owner="NLM"><PMID Version="{a.version}">{a.pmid}</PMID>'
        '<DateRevised><Year>2024</Year><Month>01</Month><Day>02</Day></DateRevised><Article PubModel="Print">'
        '<Journal><ISSN IssnType="Print">0000-0000</ISSN><JournalIssue CitedMedium="Internet"><Volume>1</Volume>'
        f"<PubDate><Year>{a.year}</Year></PubDate></JournalIssue><Title>{escape(a.journal)}</Title></Journal>"
        f"<ArticleTitle>{a.title}</ArticleTitle><Pagination><MedlinePgn>1-9</MedlinePgn></Pagination>{place}"
        f'{_abstract(a.sections)}<AuthorList CompleteYN="Y"><Author ValidYN="Y"><LastName>Nobody</LastName>'
        "<ForeName>Ann</ForeName><Initials>A</Initials></Author></AuthorList><Language>eng</Language>"
        f"<PublicationTypeList>{types}</PublicationTypeList></Article><MedlineJournalInfo>"
        "<MedlineTA>J Invent Res</MedlineTA></MedlineJournalInfo>"
        + (f"<CommentsCorrectionsList>{corrections}</CommentsCorrectionsList>" if corrections else "")
        + f"{others}</MedlineCitation><PubmedData><PublicationStatus>ppublish</PublicationStatus>"
        f"<ArticleIdList>{_ids(a)}</ArticleIdList><ReferenceList><Reference><Citation>An older paper</Citation>"
        '<ArticleIdList><ArticleId IdType="pubmed">1</ArticleId><ArticleId IdType="doi">10.1/older</ArticleId>'
        "</ArticleIdList></Reference></ReferenceList></PubmedData></PubmedArticle>"
    )


def _book(a: Article) -> str:
    types = "".join(f'<PublicationType UI="{ui}">{name}</PublicationType>' for ui, name in a.types)
    return (
        f'<PubmedBookArticle><BookDocument><PMID Version="1">{a.pmid}</PMID><ArticleIdList>'
        f'<ArticleId IdType="bookaccession">NBK{a.pmid}</ArticleId></ArticleIdList><Book><Publisher>'
        "<PublisherName>Invented Press</PublisherName></Publisher>"
        f'<BookTitle book="inv">{escape(a.journal)}</BookTitle><PubDate><Year>{a.year}</Year></PubDate></Book>'
        f'<ArticleTitle book="inv" part="one">{a.title}</ArticleTitle><Language>eng</Language>{types}'
        f"{_abstract(a.sections)}<Sections><Section><SectionTitle>Introduction</SectionTitle></Section></Sections>"
        "</BookDocument><PubmedBookData><PublicationStatus>ppublish</PublicationStatus>"
        f"<ArticleIdList>{_ids(a)}</ArticleIdList></PubmedBookData></PubmedBookArticle>"
    )


def pubmed_xml(articles: Iterable[Article], deleted: Sequence[str] = ()) -> bytes:
    """Write an answer of efetch, or with deletions an update file."""
    gone = "".join(f'<PMID Version="1">{pmid}</PMID>' for pmid in deleted)
    gone = f"<DeleteCitation>{gone}</DeleteCitation>" if gone else ""
    whole = "\n".join(article.xml() for article in articles)
    return f"{PUBMED_HEAD}<PubmedArticleSet>{whole}{gone}</PubmedArticleSet>".encode()


def pmc_xml(articles: Iterable[Article]) -> bytes:
    """Write an answer of efetch for PMC; without permission there is only the front matter and a remark."""
    whole = ""
    for a in articles:
        ids = "".join(
            f'<article-id pub-id-type="{kind}">{escape(value)}</article-id>'
            for kind, value in (("pmcid", a.pmcid), ("pmid", a.pmid), ("doi", a.doi))
            if value
        )
        abstract = "".join(
            f"<sec><title>{escape(label)}</title><p>{text}</p></sec>" for label, _, text in a.sections
        )
        remark = (
            ""
            if a.body
            else "<!--The publisher of this article does not allow downloading of the full text in XML form.-->"
        )
        whole += (
            f'<article xmlns:xlink="http://www.w3.org/1999/xlink" article-type="research-article">{remark}<front>'
            f"<journal-meta><journal-title-group><journal-title>{escape(a.journal)}</journal-title></journal-title-group>"
            f"</journal-meta><article-meta>{ids}<title-group><article-title>{a.title}</article-title></title-group>"
            f'<pub-date pub-type="epub"><year>{a.year}</year></pub-date><abstract>{abstract}</abstract></article-meta>'
            f"</front>{a.body or ''}</article>"
        )
    return f"{PMC_HEAD}<pmc-articleset>{whole}</pmc-articleset>".encode()


@dataclass
class Request:
    """One request as it came."""

    method: str
    path: str
    fields: dict[str, str]

    @property
    def ids(self) -> list[str]:
        """The ids that were asked for."""
        return self.fields.get("id", self.fields.get("ids", "")).split(",")


@dataclass
class Behaviour:
    """What the server does; change it at any time.

    `queue` holds the faults of the next efetch requests, `ok` for none; when it is empty, `always` holds.
    """

    queue: deque[str] = field(default_factory=deque)
    always: str = "ok"
    everywhere: bool = False
    retry_after: str = "0"
    drop_every: int = 3
    dropped: set[str] = field(default_factory=set)
    refused: set[str] = field(default_factory=set)
    fails_with: set[str] = field(default_factory=set)
    """Ids that make a request fail with HTTP 500."""
    refusal: bytes = b""
    """What every efetch is refused with, by HTTP 400; empty where it is not."""
    slow_s: float = 30.0
    crossref: dict[str, dict[str, Any]] = field(default_factory=dict)
    agencies: dict[str, str] = field(default_factory=dict)
    bodies: dict[str, bytes] = field(default_factory=dict)
    """What is sent with status 200 by path, in place of the truth."""
    search: dict[str, Any] | None = None
    """What esearch answers, in place of the truth."""
    converted: dict[str, deque[dict[str, Any]]] = field(default_factory=dict)
    """What the converter says of an id in turn, the last again and again, in place of the truth."""


GENBANK = Article("23193287", "GenBank.", doi="10.1093/nar/gks1195", pmcid="PMC3531190")
"""What every PubMed holds."""


class EUtilsServer:
    """The server, listening on 127.0.0.1 within its `with` block."""

    def __init__(self, articles: Iterable[Article], port: int = 0) -> None:
        self.articles = {article.pmid: article for article in articles}
        self.behaviour = Behaviour()
        self.requests: list[Request] = []
        self._stopped = threading.Event()
        self._lock = threading.Lock()
        outer = self

        class Handler(_Handler):
            server_of = outer

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        """The address to give as MEDASSAY_NCBI_URL."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> "EUtilsServer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def asked(self, path: str) -> list[Request]:
        """Return the requests for a path."""
        return [request for request in self.requests if request.path == path]

    def next_fault(self, path: str) -> str:
        """Return what goes wrong with the request that has just come."""
        behaviour = self.behaviour
        with self._lock:
            if path != "/efetch.fcgi" and not behaviour.everywhere:
                return "ok"
            return behaviour.queue.popleft() if behaviour.queue else behaviour.always

    def wait(self, seconds: float) -> bool:
        """Wait, but no longer than the server lives; tell whether it still does."""
        return not self._stopped.wait(seconds)


class _Handler(BaseHTTPRequestHandler):
    server_of: EUtilsServer
    protocol_version = "HTTP/1.0"

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        path, _, query = self.path.partition("?")
        self._serve("GET", path, query)

    def do_POST(self) -> None:
        form = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        self._serve("POST", self.path, form)

    def _serve(self, method: str, path: str, query: str) -> None:
        fields = dict(urllib.parse.parse_qsl(query))
        server = self.server_of
        server.requests.append(Request(method, path, fields))
        fault = server.next_fault(path)
        if server.behaviour.fails_with.intersection(fields.get("id", "").split(",")):
            self._send(500, b"Internal Server Error")
            return
        refused = server.behaviour.refused.intersection(fields.get("id", "").split(","))
        if refused:
            body = b'{"error":"ID list is empty! Possibly it has no correct IDs."}'
            self._send(400, body)
        elif path == "/efetch.fcgi" and server.behaviour.refusal:
            self._send(400, server.behaviour.refusal)
        elif path in server.behaviour.bodies:
            self._send(200, server.behaviour.bodies[path])
        elif fault.startswith("echo_"):
            self._echo(fault, query, fields.get("api_key", ""))
        elif not self._misbehave(fault, lambda: self._answer(path, fields, fault)):
            self._send(*self._answer(path, fields, fault))

    def _echo(self, fault: str, form: str, key: str) -> None:
        if fault == "echo_json":
            said = {"error": f"API key {key.lower()} invalid", "api-key": key, "count": "11"}
            self._send(400, json.dumps(said).encode())
        elif fault == "echo_page":
            self._send(
                502,
                f"<html><body><h1>Bad Gateway</h1>{form} {urllib.parse.unquote_plus(form)}</body></html>".encode(),
            )
        else:
            self._send(200, json.dumps({"error": " ".join((form, key) * 20)}).encode())

    def _answer(self, path: str, fields: dict[str, str], fault: str) -> tuple[int, bytes]:
        server = self.server_of
        if path == "/efetch.fcgi":
            asked = fields["id"].split(",")
            if fields["db"] == "pmc":
                by_number = {(a.pmcid or "")[3:]: a for a in server.articles.values()}
                numbers = [i.removeprefix("PMC") for i in asked]
                return 200, pmc_xml(by_number[number] for number in numbers if number in by_number)
            every = server.behaviour.drop_every
            kept = [i for n, i in enumerate(asked) if not (fault == "drop" and n % every == 0)]
            kept = [
                i for i in kept if i not in server.behaviour.dropped and fault not in ("hollow", "partial")
            ]
            there = {GENBANK.pmid: GENBANK, **server.articles}
            known = [there[i] for i in kept if i in there]
            if fault == "foreign":
                known.append(Article("99000999", "Nobody asked for this", (("", "", "Nothing."),)))
            return 206 if fault == "partial" else 200, pubmed_xml(known)
        if path == "/esearch.fcgi":
            wanted = {part.strip('"').lower() for part in fields["term"].replace("[AID]", "").split(" OR ")}
            ids = [a.pmid for a in server.articles.values() if a.doi and a.doi.lower() in wanted]
            found = server.behaviour.search or {"count": str(len(ids)), "idlist": ids}
            return 200, json.dumps({"esearchresult": found}).encode()
        if path == "/idconv/":
            records = [self._converted(name, fields["idtype"]) for name in fields["ids"].split(",")]
            return 200, json.dumps({"status": "ok", "records": records}).encode()
        if path.startswith("/works/"):
            return self._crossref(urllib.parse.unquote(path.removeprefix("/works/")))
        return 404, b"no such service"

    def _converted(self, name: str, kind: str) -> dict[str, Any]:
        if told := self.server_of.behaviour.converted.get(name):
            return told.popleft() if len(told) > 1 else told[0]
        for a in self.server_of.articles.values():
            if a.pmcid and (getattr(a, kind) or "").lower() == name.lower():
                known = {"requested-id": name, "pmcid": a.pmcid, "doi": a.doi or "", "pmid": a.pmid}
                return {k: v for k, v in known.items() if v}
        return {"requested-id": name, kind: name, "status": "error", "errmsg": "Identifier not found in PMC"}

    def _crossref(self, doi: str) -> tuple[int, bytes]:
        behaviour = self.server_of.behaviour
        if doi.endswith("/agency"):
            agency = behaviour.agencies.get(doi.removesuffix("/agency"))
            found = json.dumps({"status": "ok", "message": {"agency": {"id": agency}}}).encode()
            return (200, found) if agency else (404, b"Resource not found.")
        work = behaviour.crossref.get(doi)
        return (
            (200, json.dumps({"status": "ok", "message": work}).encode())
            if work
            else (404, b"Resource not found.")
        )

    def _misbehave(self, fault: str, answer: Callable[[], tuple[int, bytes]]) -> bool:
        """Carry a fault out; False where the answer itself is to be sent."""
        pages: dict[str, tuple[int, bytes, dict[str, str]]] = {
            "rate_limited": (
                429,
                b'{"error":"API rate limit exceeded"}',
                {"Retry-After": self.server_of.behaviour.retry_after},
            ),
            "rate_limited_bare": (429, b'{"error":"API rate limit exceeded"}', {}),
            "rate_limited_long": (429, b"", {"Retry-After": "3600"}),
            "busy": (503, b"", {"Retry-After": self.server_of.behaviour.retry_after}),
            "error_500": (500, b"<html><body><h1>Internal Server Error</h1></body></html>", {}),
            "error_400": (400, b'{"error":"API key invalid","api-key":"x"}', {}),
            "json_error": (
                200,
                b'{"error":"error forwarding request","api-key":"x","type":"ip","status":"ok"}',
                {},
            ),
            "html": (200, b"<!DOCTYPE html><html><body>We are down for maintenance.<br></body></html>", {}),
            "junk": (200, bytes(range(256)), {}),
            "empty": (200, b"", {}),
            "other_dtd": (
                200,
                b'<?xml version="1.0"?><!DOCTYPE eInfoResult PUBLIC "-//NLM//DTD einfo//EN" '
                b'"https://eutils.ncbi.nlm.nih.gov/eutils/dtd/20190110/einfo_new.dtd"><eInfoResult></eInfoResult>',
                {},
            ),
            "moved": (301, b"", {"Location": "http://127.0.0.1:9/elsewhere"}),
        }
        if fault in pages:
            self._send(*pages[fault])
        elif fault == "cut":
            status, body = answer()
            self._send(status, body[: len(body) // 2], announced=len(body))
        elif fault == "cut_xml":
            status, body = answer()
            self._send(status, body[: len(body) // 2])
        elif fault in ("new_dtd", "no_doctype"):
            status, body = answer()
            new = body.replace(DTD.encode(), b"pubmed_990101.dtd").replace(
                b"<Pagination>", b'<Provenance by="x"><Step>made up</Step></Provenance><Pagination>'
            )
            self._send(status, new if fault == "new_dtd" else body[body.index(b"<PubmedArticleSet>") :])
        elif fault == "hang":
            self.server_of.wait(self.server_of.behaviour.slow_s)
        elif fault in PACKINGS:
            status, body = answer()
            self._send(status, PACKINGS[fault](body), {"Content-Encoding": fault.partition("_")[0]})
        elif fault == "slow":
            status, body = answer()
            self._send(status, b"", announced=len(body))
            until = time.monotonic() + self.server_of.behaviour.slow_s
            for start in range(0, len(body), 100):
                self.wfile.write(body[start : start + 100])
                if not self.server_of.wait(0.02) or time.monotonic() > until:
                    break
        elif fault == "drip":
            self.wfile.write(b"HTTP/1.0 200 OK\r\nX-Slow: ")
            until = time.monotonic() + self.server_of.behaviour.slow_s
            while self.server_of.wait(0.02) and time.monotonic() < until:
                self.wfile.write(b"a")
        elif fault == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
        else:
            return False
        return True

    def _send(
        self, status: int, body: bytes, headers: dict[str, str] | None = None, announced: int | None = None
    ) -> None:
        lines = [f"HTTP/1.0 {status} {self.responses[status][0] if status in self.responses else ''}"]
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        lines += [f"Content-Length: {len(body) if announced is None else announced}", "Connection: close"]
        self.wfile.write("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body)

    def handle(self) -> None:
        try:
            super().handle()
        except (ConnectionError, ValueError):  # the other side hung up, as it should on a slow answer
            pass

    def finish(self) -> None:
        try:
            super().finish()
        except (ConnectionError, ValueError, OSError):
            pass


INVENTED = tuple(
    Article(
        str(99000001 + n),
        f"Effect of invented drug {n} on invented outcome",
        (
            ("BACKGROUND", "BACKGROUND", f"Invented drug {n} had not been studied."),
            ("METHODS", "METHODS", f"We gave invented drug {n} to {100 + n} volunteers."),
            ("RESULTS", "RESULTS", "The invented outcome improved (p&lt;0.05)."),
            ("CONCLUSION", "CONCLUSIONS", f"Invented drug {n} improves the invented outcome."),
        ),
        doi=f"10.5555/invented.{n}",
    )
    for n in range(12)
)
