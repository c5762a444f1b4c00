"""Which sources a run asks, in which order, and why others are not asked."""

from collections.abc import Iterable, Mapping, Sequence

from medassay.models.records import Document
from medassay.models.sources.crossref import Crossref, CrossrefSettings
from medassay.models.sources.entrez import Entrez, EntrezSettings
from medassay.models.sources.pmc import Pmc
from medassay.models.sources.pubmed import PubMed
from medassay.models.sources.resolver import Closed, Resolver
from medassay.models.sources.supplied import Supplied

OFFLINE = "this run is offline, and what is kept here does not hold it: run without --offline to ask PubMed"
OFFLINE_AND_NO_EMAIL = (
    "this run is offline, and what is kept here does not hold it: set NCBI_EMAIL and run without --offline"
    " to ask PubMed"
)
NO_EMAIL = "PubMed was not asked: NCBI wants to know whom to write to, so set NCBI_EMAIL and run again"
_NO_CROSSREF = (
    "PubMed does not hold this DOI, and Crossref was not asked: set MEDASSAY_CROSSREF=1 to allow it"
)
_NO_TRIALS = "trial registries are not asked: supply the trial's results as a document"
_NO_PAGES = "web pages are not fetched: supply the page as a document"
_NO_NAME = "the reference carries no identifier to look it up by: add its PMID or DOI, or supply its text"


def choose_resolvers(
    documents: Iterable[Document],
    *,
    offline: bool = False,
    local: Sequence[Resolver] = (),
    environment: Mapping[str, str] | None = None,
) -> list[Resolver]:
    """List the resolvers of a run in order: supplied documents, what is kept here, PMC, PubMed, Crossref.

    Args:
        documents: what came with the data.
        offline: ask nothing outside this machine.
        local: the caller's own stores, such as a cache and PubMed's files.
        environment: in place of the process's own.

    Raises:
        UsageError: when a setting in the environment cannot be meant.
    """
    chosen: list[Resolver] = [Supplied(documents), *local]
    reason = why_pubmed_is_closed(offline=offline, environment=environment)
    settings = EntrezSettings.from_environment(environment)
    if reason is None:
        entrez = Entrez(settings)
        chosen += [Pmc(entrez), PubMed(entrez)]
    crossref = None if offline else CrossrefSettings.from_environment(environment)
    if crossref is not None:
        chosen.append(Crossref(crossref))
    elif reason is None:
        chosen.append(Closed(("doi",), _NO_CROSSREF))
    if reason is not None:
        chosen.append(Closed(("pmid", "pmcid", "doi"), reason))
    return [
        *chosen,
        Closed(("nct",), _NO_TRIALS),
        Closed(("url",), _NO_PAGES),
        Closed(("reference",), _NO_NAME),
    ]


def why_pubmed_is_closed(
    *, offline: bool = False, environment: Mapping[str, str] | None = None
) -> str | None:
    """Say why PubMed is not asked and how to change that; None where it is asked."""
    email = EntrezSettings.from_environment(environment).email
    if offline:
        return OFFLINE if email else OFFLINE_AND_NO_EMAIL
    return None if email else NO_EMAIL
