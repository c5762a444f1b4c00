"""PubMed over E-utilities: batches of 200, one more question for what an answer left out, honest states."""

import io
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from models.records import SourceRecord
from models.sources.article import record_of, version_of
from models.sources.entrez import Entrez
from models.sources.identifiers import batches, values_of
from models.sources.medline import Unreadable, read_medline
from models.sources.resolver import Progress, RawBody, Resolution
from models.sources.transport import NoAnswer

_PATIENCE = 3
_CONVERTED_AT_ONCE = 100  # in the address: 200 long DOIs would be cut
_SEARCHED_AT_ONCE = 50
_NO_SUCH = (
    b"ID list is empty",
    b"no correct IDs",
    b"is not available",
    b"cannot get document",
    b"Invalid uid",
)
NOT_FOUND = "PubMed answered, and has no record with this PMID"


@dataclass(slots=True)
class Fetched:
    """What asking for a list of PMIDs came to; each PMID is in one of the first three."""

    found: dict[str, tuple[SourceRecord, str]] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    unanswered: dict[str, str] = field(default_factory=dict)
    raw: list[RawBody] = field(default_factory=list)


class PubMed:
    """Resolves PMIDs, and DOIs of articles that PubMed holds; a DOI it does not hold is left alone."""

    name = "pubmed"

    def __init__(self, entrez: Entrez) -> None:
        self._entrez = entrez

    def resolve(self, source_ids: Sequence[str], on_progress: Progress | None = None) -> Resolution:
        """Ask for all PMIDs and DOIs among the ids."""
        before = self._entrez.requests
        dois = values_of(source_ids, "doi")
        owners, raw_unresolved = self._owners(dois)
        pmids = values_of(source_ids, "pmid")
        numbers = [pmid for pmid in pmids if pmid.isdecimal()]
        wanted = list(dict.fromkeys([*numbers, *(p for candidates in owners.values() for p in candidates)]))
        fetched = self.fetch(wanted, on_progress)
        again_from = self._entrez.requests
        again = self.fetch(fetched.missing, control=next(iter(fetched.found), None))
        asked_again = self._entrez.requests - again_from
        found = {**fetched.found, **again.found}
        unanswered = {**fetched.unanswered, **again.unanswered}
        result = Resolution(
            requests=self._entrez.requests - before,
            requests_again=asked_again,
            raw=[*fetched.raw, *again.raw],
        )
        for pmid in pmids:
            name = f"pmid:{pmid}"
            if pmid in found:
                result.found[name], result.bodies[name] = found[pmid]
            elif pmid in unanswered:
                result.unresolved[name] = unanswered[pmid]
            elif pmid in again.missing:
                result.not_found[name] = NOT_FOUND
            else:
                result.unresolved[name] = "it is no PMID: digits were expected"
                result.final.add(name)
        for doi in dois:
            self._settle_doi(doi, owners.get(doi, []), found, unanswered, raw_unresolved, result)
        for name in (*result.found, *result.not_found, *result.unresolved):
            result.origins[name] = self.name
        return result

    def _settle_doi(
        self,
        doi: str,
        candidates: Sequence[str],
        found: dict[str, tuple[SourceRecord, str]],
        unanswered: dict[str, str],
        unresolved: dict[str, str],
        result: Resolution,
    ) -> None:
        name = f"doi:{doi}"
        for pmid in candidates:
            if pmid in found and name in found[pmid][0].identifiers:
                record, digest = found[pmid]
                result.found[name], result.bodies[name] = replace(record, source_id=name), digest
                return
        reasons = (
            [unresolved[doi]] if doi in unresolved else [unanswered[p] for p in candidates if p in unanswered]
        )
        if reasons:
            result.unresolved[name] = reasons[0]

    def _owners(self, dois: Sequence[str]) -> tuple[dict[str, list[str]], dict[str, str]]:
        """Find the PMIDs that may own each DOI: by the id converter, the rest by search; and what went wrong."""
        owners: dict[str, list[str]] = {}
        failed: dict[str, str] = {}
        for batch in batches([doi for doi in dois if "," not in doi], _CONVERTED_AT_ONCE):
            try:
                for doi, names in self._entrez.convert(batch, "doi").items():
                    if "pmid" in names:
                        owners[doi] = [names["pmid"]]
            except NoAnswer:
                continue  # the search below answers the same question
        for batch in batches([doi for doi in dois if doi not in owners], _SEARCHED_AT_ONCE):
            try:
                candidates = self._entrez.pmids_of_dois(batch)
            except NoAnswer as none:
                failed.update(dict.fromkeys(batch, f"PubMed could not be searched: {none}"))
            else:
                owners.update(dict.fromkeys(batch, candidates))
        return owners, failed

    def fetch(
        self, pmids: Sequence[str], on_progress: Progress | None = None, control: str | None = None
    ) -> Fetched:
        """Fetch records once; after three batches in a row without any answer the rest is not asked for.

        Args:
            pmids: distinct PMIDs.
            on_progress: called with the size of each batch that is done.
            control: a PMID that is known to exist, asked for with each batch: an answer without it proves nothing.
        """
        result = Fetched()
        room = 1 if control else 0
        waiting = batches(pmids, max(1, self._entrez.settings.batch - room))
        silent = 0
        reason = ""
        for batch in waiting:
            if silent >= _PATIENCE:
                result.unanswered.update(
                    dict.fromkeys(batch, f"not asked, since PubMed stopped answering: {reason}")
                )
                continue
            try:
                self._fetch_batch(batch, result, control)
                silent = 0
            except NoAnswer as none:
                reason = f"PubMed gave no answer: {none}"
                settled = {*result.found, *result.missing, *result.unanswered}
                result.unanswered.update((pmid, reason) for pmid in batch if pmid not in settled)
                silent = silent + 1 if none.silent else 0
            if on_progress is not None:
                on_progress(len(batch))
        return result

    def _fetch_batch(self, pmids: Sequence[str], result: Fetched, control: str | None) -> None:
        """Fetch one batch; one that is refused for a bad id in it is halved until the id is alone."""
        try:
            asked = [*pmids, *([control] if control else [])]
            raw = self._entrez.fetch("pubmed", asked)
            found = read_records(raw, set(asked))
        except NoAnswer as none:
            if none.status != 400 or b"API key" in none.body:
                raise
            if len(pmids) == 1 and any(words in none.body for words in _NO_SUCH):
                result.missing.append(pmids[0])
                return
            if len(pmids) == 1:
                result.unanswered[pmids[0]] = f"PubMed refused the question: {none}"
                return
            middle = len(pmids) // 2
            self._fetch_batch(pmids[:middle], result, control)
            self._fetch_batch(pmids[middle:], result, control)
            return
        if control and found.pop(control, None) is None:
            raise NoAnswer("its answer left out even a record that it had sent a moment before")
        result.raw.append(raw)
        result.found.update((pmid, (record, raw.digest)) for pmid, record in found.items())
        result.missing.extend(pmid for pmid in pmids if pmid not in found)


def read_records(raw: RawBody, wanted: set[str]) -> dict[str, SourceRecord]:
    """Read an answer's records by PMID, foreign ones left out, the last version of each.

    Raises:
        NoAnswer: when the body is cut off or is no PubMed XML: then none of it counts.
    """
    found: dict[str, SourceRecord] = {}
    versions: dict[str, int] = {}
    try:
        for tag, element in read_medline(io.BytesIO(raw.body)):
            record = record_of(element) if tag.startswith("Pubmed") else None
            if record is None:
                continue
            pmid = record.source_id.removeprefix("pmid:")
            if pmid in wanted and version_of(element) >= versions.get(pmid, 0):
                found[pmid], versions[pmid] = record, version_of(element)
    except Unreadable as error:
        raise NoAnswer(f"its answer cannot be read: {error}", 200, raw.body[:2000]) from None
    return found
