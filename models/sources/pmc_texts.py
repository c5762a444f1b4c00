"""Full texts from PMC: twenty at once, halved where one spoils them, and asked for once more where none came."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from medassay.models.sources.entrez import Entrez
from medassay.models.sources.halving import may_be_of_one
from medassay.models.sources.identifiers import batches
from medassay.models.sources.jats import FullText, read_articles
from medassay.models.sources.medline import Unreadable
from medassay.models.sources.pubmed_records import speaks_of_ids
from medassay.models.sources.resolver import Progress, RawBody
from medassay.models.sources.transport import NoAnswer

_TEXTS_AT_ONCE = 20
_MOST_OUTAGES = 12
"""Lists that failed for no reason that names an id, after which the server is taken to be down."""


@dataclass(slots=True)
class Texts:
    """What PMC sent by PMCID, and why it sent none; one in neither is not to be had as XML."""

    found: dict[str, tuple[FullText, RawBody]] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    raw: list[RawBody] = field(default_factory=list)
    outages: int = 0
    """How many lists failed for no reason that names an id."""


def fetch_texts(entrez: Entrez, pmcids: Sequence[str], on_progress: Progress | None = None) -> Texts:
    """Ask for texts, and once more for those of which only an outage was heard, or nothing."""
    texts = Texts()
    _ask(entrez, pmcids, texts, on_progress)
    again = [pmcid for pmcid in pmcids if pmcid not in texts.found]
    _ask(entrez, again, texts, None)
    return texts


def _ask(entrez: Entrez, pmcids: Sequence[str], texts: Texts, on_progress: Progress | None) -> None:
    for batch in batches(pmcids, _TEXTS_AT_ONCE):
        try:
            _fetch_batch(entrez, batch, texts)
        except (NoAnswer, Unreadable) as error:
            reason = f"PMC gave no text: {error}"
            texts.failed.update((pmcid, reason) for pmcid in batch if pmcid not in texts.found)
        if on_progress is not None:
            on_progress(len(batch))


def _fetch_batch(entrez: Entrez, pmcids: Sequence[str], texts: Texts) -> None:
    """Fetch one batch; one that a single id or article spoils is halved until that is alone."""
    raw: RawBody | None = None
    try:
        raw = entrez.fetch("pmc", [pmcid.removeprefix("PMC") for pmcid in pmcids])
        read = {text.pmcid: (text, raw) for text in read_articles(raw.body)}
    except (NoAnswer, Unreadable) as error:
        outage = isinstance(error, NoAnswer) and not speaks_of_ids(error)
        texts.outages += outage
        if len(pmcids) == 1 or not _spoilt_by_one(error, raw) or texts.outages > _MOST_OUTAGES:
            raise
        middle = len(pmcids) // 2
        for half in (pmcids[:middle], pmcids[middle:]):
            try:
                _fetch_batch(entrez, half, texts)
            except (NoAnswer, Unreadable) as inner:
                texts.failed.update(
                    (pmcid, f"PMC gave no text: {inner}") for pmcid in half if pmcid not in texts.found
                )
        return
    texts.raw.append(raw)
    for pmcid in pmcids:
        texts.failed.pop(pmcid, None)
        if pmcid in read:
            texts.found[pmcid] = read[pmcid]


def _spoilt_by_one(error: NoAnswer | Unreadable, raw: RawBody | None) -> bool:
    """Tell what one id or one bad article may have caused from a server that is silent or turns us away."""
    if isinstance(error, NoAnswer):
        return speaks_of_ids(error) or may_be_of_one(error)
    return raw is not None and raw.body.rstrip().endswith(b"</pmc-articleset>")
