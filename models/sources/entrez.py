"""NCBI E-utilities: settings and four kinds of requests.

Etiquette (NCBI Bookshelf, "A General Introduction to the E-utilities"): 3 requests a second, 10 with a key;
`tool` and `email` with each; long lists of ids by POST.
"""

import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from medassay.models.sources.asking import (
    hidden_in_body,
    read_answer,
    refuse_address,
    refuse_name,
    shortened,
)
from medassay.models.sources.identifiers import format_source_id
from medassay.models.sources.resolver import RawBody
from medassay.models.sources.transport import NoAnswer, Transport
from medassay.models.usage import UsageError

_PUBLIC = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils"
_PUBLIC_CONVERTER = "https://pmc.ncbi.nlm.nih.gov/tools/idconv/api/v1/articles"
BATCH = 200
_ABSENT = "not found in pmc"
ConvertedScheme = Literal["pmid", "pmcid", "doi"]


@dataclass(frozen=True, slots=True)
class EntrezSettings:
    """How NCBI is asked.

    Attributes:
        email: Whom NCBI may write to; nothing is asked without it.
        tool: Name of the asking program.
        api_key: Raises the rate to 10 requests a second; never stored or shown.
        base_url: E-utilities, or a mirror of them.
        converter_url: The PMC id converter; beside `base_url` when that is a mirror.
        timeout_s: Longest wait for one whole answer, in seconds.
        longest_wait_s: Longest `Retry-After` that is waited for, in seconds.
        batch: Ids a request, at most 200.
        requests_per_second: Most requests a second.
    """

    email: str = ""
    tool: str = "medassay"
    api_key: str | None = field(default=None, repr=False)
    base_url: str = _PUBLIC
    converter_url: str = _PUBLIC_CONVERTER
    timeout_s: float = 60.0
    longest_wait_s: float = 60.0
    batch: int = BATCH
    requests_per_second: float = 3.0

    def __post_init__(self) -> None:
        """Refuse addresses and names that no request can be sent with, and batches that NCBI would cut.

        Raises:
            UsageError: naming the setting and what it may be.
        """
        refuse_address("MEDASSAY_NCBI_URL", self.base_url)
        refuse_address("MEDASSAY_IDCONV_URL", self.converter_url)
        refuse_name("NCBI_EMAIL", self.email)
        refuse_name("NCBI_TOOL", self.tool)
        refuse_name("NCBI_API_KEY", self.api_key or "")
        if not 1 <= self.batch <= BATCH:
            raise UsageError(f"a PubMed batch of {self.batch} is not possible: choose 1 to {BATCH}")

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> "EntrezSettings":
        """Read NCBI_EMAIL, NCBI_TOOL, NCBI_API_KEY, MEDASSAY_NCBI_URL and MEDASSAY_IDCONV_URL.

        A mirror named by MEDASSAY_NCBI_URL is asked for everything: without an address of its own the
        converter is expected at `<mirror>/idconv`, so that nothing goes to a host nobody named.
        """
        env = os.environ if environment is None else environment
        mirror = env.get("MEDASSAY_NCBI_URL", "").strip().rstrip("/")
        key = env.get("NCBI_API_KEY", "").strip() or None
        beside = f"{mirror}/idconv" if mirror else _PUBLIC_CONVERTER
        return cls(
            email=env.get("NCBI_EMAIL", "").strip(),
            tool=env.get("NCBI_TOOL", "").strip() or "medassay",
            api_key=key,
            base_url=mirror or _PUBLIC,
            converter_url=env.get("MEDASSAY_IDCONV_URL", "").strip().rstrip("/") or beside,
            requests_per_second=10.0 if key else 3.0,
        )


class Entrez:
    """Asks E-utilities, at one pace for all resolvers that share it."""

    def __init__(
        self,
        settings: EntrezSettings,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.settings = settings
        self.transport = Transport(
            settings.requests_per_second,
            settings.timeout_s,
            settings.longest_wait_s,
            agent=settings.tool,
            clock=clock,
            sleep=sleep,
        )
        self._who = {"tool": settings.tool, "email": settings.email}
        self._secret = {**self._who, **({"api_key": settings.api_key} if settings.api_key else {})}

    @property
    def requests(self) -> int:
        """Requests sent so far."""
        return self.transport.requests

    def fetch(self, database: str, ids: Sequence[str]) -> RawBody:
        """Return the records of a database as XML.

        Raises:
            NoAnswer: when none came, or something that is no XML.
        """
        query = {"db": database, "id": ",".join(ids), "retmode": "xml"}
        return _not_json(self._ask("efetch.fcgi", query, post=True), self._secret)

    def pmids_of_dois(self, dois: Sequence[str]) -> list[str]:
        """Return the PMIDs of articles that carry any of the DOIs; which is whose is in the articles' id lists.

        Raises:
            NoAnswer: when none came that can be read.
        """
        term = " OR ".join(f'"{doi}"[AID]' for doi in dois)
        query = {"db": "pubmed", "term": term, "retmode": "json", "retmax": str(20 * len(dois))}
        answer = _json(self._ask("esearch.fcgi", query, post=True), self._secret)
        return _listed(answer.get("esearchresult"), int(query["retmax"]))

    def convert(self, ids: Sequence[str], kind: ConvertedScheme) -> dict[str, dict[str, str]]:
        """Return what the PMC id converter knows of each PMCID, DOI or PMID; an empty dict is "not in PMC".

        What it says nothing of, or could not look up, is left out.

        Args:
            ids: at most 200 of one kind.
            kind: `pmcid`, `doi` or `pmid`.

        Raises:
            NoAnswer: when none came that can be read.
        """
        query = {"ids": ",".join(ids), "idtype": kind, "format": "json", "versions": "no"}
        raw = self.transport.ask(self.settings.converter_url + "/", query, self._who)
        records = _json(raw, self._who).get("records")
        if not isinstance(records, list):
            raise NoAnswer("the id converter's answer has no records")
        asked = {source_id: name for name in ids if (source_id := _source_id(kind, name))}
        known: dict[str, dict[str, str]] = {}
        for record in (r for r in records if isinstance(r, dict)):
            names = _names(record)
            wanted = asked.get(_source_id(kind, record.get("requested-id") or names.get(kind)) or "")
            failed = record.get("status") == "error" or "errmsg" in record
            if wanted is not None and (not failed or _ABSENT in str(record.get("errmsg")).lower()):
                known[wanted] = {} if failed else names
        return known

    def _ask(self, service: str, query: Mapping[str, str], post: bool) -> RawBody:
        return self.transport.ask(f"{self.settings.base_url}/{service}", query, self._secret, post)


def _source_id(kind: ConvertedScheme, name: object) -> str | None:
    try:
        return format_source_id(kind, str(name or ""))
    except ValueError:
        return None


def _names(record: dict[str, Any]) -> dict[str, str]:
    """Take the names of an article out of the converter's record, without a version: `PMC12.1` is PMC12."""
    kinds: tuple[ConvertedScheme, ...] = ("pmid", "pmcid", "doi")
    named = {kind: _source_id(kind, record.get(kind)) for kind in kinds}
    return {kind: name.partition(":")[2] for kind, name in named.items() if name is not None}


def _listed(result: object, most: int) -> list[str]:
    """Return the ids of a search result, which names all that it counts, or `most` of them."""
    found = result if isinstance(result, dict) else {}
    if error := found.get("ERROR"):
        raise NoAnswer(f"its search answered with an error ({_said(error)})")
    listed, announced = found.get("idlist"), str(found.get("count", "0"))
    if not isinstance(listed, list) or (not listed and announced != "0"):
        raise NoAnswer("its search result has no list of ids")
    counted = int(announced) if re.fullmatch("[0-9]{1,12}", announced) else 0
    if len(listed) < min(counted, most):
        raise NoAnswer(f"its search result lists {len(listed)} of {counted} ids")
    return [str(pmid) for pmid in listed]


def _said(error: object) -> str:
    return shortened(error) if isinstance(error, str) else "JSON"


def _not_json(raw: RawBody, secret: Mapping[str, str]) -> RawBody:
    """Refuse an error that came as JSON with status 200, as NCBI sends it when it is overloaded."""
    if raw.body[:1] not in (b"{", b"["):
        return raw
    body = hidden_in_body(raw.body, secret)
    try:
        said = read_answer(body)
    except ValueError:
        said = None
    words = _said(said.get("error")) if isinstance(said, dict) else "JSON"
    raise NoAnswer(f"it answered with an error in place of the records ({words})", 200, body[:2000])


def _json(raw: RawBody, secret: Mapping[str, str]) -> dict[str, Any]:
    """Read an answer, in which who asks does not stand: of an error in it a part is shown."""
    body = hidden_in_body(raw.body, secret)
    try:
        answer = read_answer(body)
    except ValueError:
        raise NoAnswer("it sent something that is no JSON", 200, body[:2000]) from None
    if not isinstance(answer, dict) or answer.get("error"):
        words = _said(answer["error"]) if isinstance(answer, dict) else "a list"
        raise NoAnswer(f"it answered with an error ({words})", 200, body[:2000])
    return answer
