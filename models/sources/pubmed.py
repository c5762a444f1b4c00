"""PubMed resolver: PMIDs, and DOIs by id converter and search."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from medassay.models.records import SourceRecord
from medassay.models.sources.entrez import Entrez
from medassay.models.sources.identifiers import batches, is_notice, preference, values_of
from medassay.models.sources.pubmed_records import Fetched, asked_in_halves, fetch_surely
from medassay.models.sources.resolver import Progress, Resolution
from medassay.models.sources.transport import NoAnswer

_CONVERTED_AT_ONCE = 100  # in the address: 200 long DOIs would be cut
_SEARCHED_AT_ONCE = 50
NOT_FOUND = "PubMed answered, and has no record with this PMID"


@dataclass(slots=True)
class _Owners:
    """The PMIDs that may own DOIs: the one that the id converter names, those that a search lists, or what failed."""

    named: dict[str, str] = field(default_factory=dict)
    searched: dict[str, list[str]] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)

    def of(self, doi: str) -> list[str]:
        named = [self.named[doi]] if doi in self.named else []
        return [*named, *self.searched.get(doi, [])]


class PubMed:
    """Resolves PMIDs, and DOIs of articles that PubMed holds; a DOI it does not hold is left alone."""

    name = "pubmed"

    def __init__(self, entrez: Entrez) -> None:
        self._entrez = entrez

    def retry_unavailable(self) -> None:
        """Ask NCBI again where it had stopped answering."""
        self._entrez.transport.retry_unavailable()

    def resolve(self, source_ids: Sequence[str], on_progress: Progress | None = None) -> Resolution:
        """Ask for all PMIDs and DOIs among the ids."""
        before = self._entrez.requests
        dois, pmids = values_of(source_ids, "doi"), values_of(source_ids, "pmid")
        owners = _Owners(named=self._named(dois))
        self._search([doi for doi in dois if doi not in owners.named], owners)
        numbers = [pmid for pmid in pmids if pmid.isdecimal()]
        wanted = [*numbers, *(pmid for doi in dois for pmid in owners.of(doi))]
        fetched = fetch_surely(self._entrez, list(dict.fromkeys(wanted)), on_progress)
        self._search_doubtful(owners, fetched)
        result = Resolution(
            requests=self._entrez.requests - before,
            requests_again=fetched.requests_again,
            raw=fetched.raw,
        )
        for pmid in pmids:
            _settle(pmid, fetched, result)
        for doi in dois:
            _settle_doi(doi, owners, fetched, result)
        for name in (*result.found, *result.not_found, *result.unresolved):
            result.origins[name] = self.name
        return result

    def _named(self, dois: Sequence[str]) -> dict[str, str]:
        named: dict[str, str] = {}
        for batch in batches([doi for doi in dois if "," not in doi], _CONVERTED_AT_ONCE):
            try:
                converted = self._entrez.convert(batch, "doi")
            except NoAnswer:
                continue  # a search answers the same question
            named.update((doi, names["pmid"]) for doi, names in converted.items() if "pmid" in names)
        return named

    def _search(self, dois: Sequence[str], owners: _Owners) -> None:
        def search(some: Sequence[str]) -> None:
            owners.searched.update(dict.fromkeys(some, self._entrez.pmids_of_dois(some)))

        for batch in batches(dois, _SEARCHED_AT_ONCE):
            for doi, none in asked_in_halves(batch, search).items():
                owners.failed[doi] = f"PubMed could not be searched: {none}"

    def _search_doubtful(self, owners: _Owners, fetched: Fetched) -> None:
        """Search for the DOIs whose named article is not there, says that it has another, or is a notice."""
        doubtful = [
            doi
            for doi, pmid in owners.named.items()
            if pmid not in fetched.unanswered
            and ((owned := _owned(doi, owners, fetched)) is None or is_notice(owned[0]))
        ]
        self._search(doubtful, owners)
        known = {*fetched.found, *fetched.missing, *fetched.unanswered}
        listed = dict.fromkeys(pmid for doi in doubtful for pmid in owners.searched.get(doi, []))
        more = fetch_surely(self._entrez, [pmid for pmid in listed if pmid not in known])
        fetched.found.update(more.found)
        fetched.unanswered.update(more.unanswered)
        fetched.raw.extend(more.raw)


def _settle(pmid: str, fetched: Fetched, result: Resolution) -> None:
    name = f"pmid:{pmid}"
    if pmid in fetched.found:
        result.found[name], result.bodies[name] = fetched.found[pmid]
    elif pmid in fetched.unanswered:
        result.unresolved[name] = fetched.unanswered[pmid]
    elif pmid in fetched.missing:
        strangers = ", ".join(f"PMID {other}" for other in fetched.instead.get(pmid, [])[:3])
        told = f"; its answer held {strangers}, which nobody asked for" if strangers else ""
        result.not_found[name] = f"{NOT_FOUND}{told}"
    else:
        result.unresolved[name] = "it is no PMID: digits were expected"
        result.final.add(name)


def _settle_doi(doi: str, owners: _Owners, fetched: Fetched, result: Resolution) -> None:
    """Give a DOI to its article; to a notice that bears it too only where no article can be behind it."""
    name = f"doi:{doi}"
    owned = _owned(doi, owners, fetched)
    reasons = [fetched.unanswered[pmid] for pmid in owners.of(doi) if pmid in fetched.unanswered]
    if doi in owners.failed:
        reasons.insert(0, owners.failed[doi])
    if owned and not (reasons and is_notice(owned[0])):
        record, result.bodies[name] = owned
        names = tuple(dict.fromkeys([*record.identifiers, name]))
        result.found[name] = replace(record, source_id=name, identifiers=names)
    elif reasons:
        result.unresolved[name] = reasons[0]


def _owned(doi: str, owners: _Owners, fetched: Fetched) -> tuple[SourceRecord, str] | None:
    """Return the record that lists a DOI, or the one that the id converter names where it lists none at all."""
    there = [fetched.found[pmid] for pmid in owners.of(doi) if pmid in fetched.found]
    listing = [told for told in there if f"doi:{doi}" in told[0].identifiers]
    if listing:
        return min(listing, key=lambda told: preference(told[0]))
    named = fetched.found.get(owners.named.get(doi, ""))
    if named and not any(name.startswith("doi:") for name in named[0].identifiers):
        return named
    return None
