"""PMC: which PMCIDs exist, by the id converter; their full text where it is open; their standing from PubMed."""

from collections.abc import Sequence
from dataclasses import replace

from models.records import SourceRecord
from models.sources.entrez import Entrez
from models.sources.identifiers import batches, page_of, values_of
from models.sources.jats import FullText, read_articles
from models.sources.medline import Unreadable
from models.sources.pubmed import Fetched, PubMed
from models.sources.resolver import Progress, RawBody, Resolution
from models.sources.transport import NoAnswer

_TEXTS_AT_ONCE = 20
_NOT_FOUND = "PMC answered, and has no article with this PMCID"


class Pmc:
    """Resolves PMCIDs; an article whose publisher allows no download comes with PubMed's abstract instead."""

    name = "pmc"

    def __init__(self, entrez: Entrez) -> None:
        self._entrez = entrez
        self._pubmed = PubMed(entrez)

    def resolve(self, source_ids: Sequence[str], on_progress: Progress | None = None) -> Resolution:
        """Ask for all PMCIDs among the ids."""
        before = self._entrez.requests
        pmcids = values_of(source_ids, "pmcid")
        known, result = self._known(pmcids)
        texts, failed = self._texts([pmcid for pmcid in pmcids if pmcid in known], result, on_progress)
        pmids = [names["pmid"] for names in known.values() if "pmid" in names]
        articles = self._pubmed.fetch(list(dict.fromkeys(pmids)))
        result.raw.extend(articles.raw)
        for pmcid, names in known.items():
            self._settle(pmcid, names, texts.get(pmcid), failed.get(pmcid), articles, result)
        for name in (*result.found, *result.not_found, *result.unresolved):
            result.origins[name] = self.name
        return replace(result, requests=self._entrez.requests - before)

    def _known(self, pmcids: Sequence[str]) -> tuple[dict[str, dict[str, str]], Resolution]:
        known: dict[str, dict[str, str]] = {}
        result = Resolution()
        for batch in batches(pmcids, self._entrez.settings.batch):
            try:
                answer = self._entrez.convert(batch, "pmcid")
            except NoAnswer as none:
                reason = f"the PMC id converter gave no answer: {none}"
                result.unresolved.update((f"pmcid:{pmcid}", reason) for pmcid in batch)
                continue
            for pmcid in batch:
                if pmcid not in answer:
                    result.unresolved[f"pmcid:{pmcid}"] = "the PMC id converter said nothing about it"
                elif not answer[pmcid]:
                    result.not_found[f"pmcid:{pmcid}"] = _NOT_FOUND
                else:
                    known[pmcid] = answer[pmcid]
        return known, result

    def _texts(
        self, pmcids: Sequence[str], result: Resolution, on_progress: Progress | None
    ) -> tuple[dict[str, tuple[FullText, RawBody]], dict[str, str]]:
        texts: dict[str, tuple[FullText, RawBody]] = {}
        failed: dict[str, str] = {}
        for batch in batches(pmcids, _TEXTS_AT_ONCE):
            try:
                raw = self._entrez.fetch("pmc", [pmcid.removeprefix("PMC") for pmcid in batch])
                texts.update((text.pmcid, (text, raw)) for text in read_articles(raw.body))
                result.raw.append(raw)
            except (NoAnswer, Unreadable) as error:
                failed.update(dict.fromkeys(batch, f"PMC gave no text: {error}"))
            if on_progress is not None:
                on_progress(len(batch))
        return texts, failed

    def _settle(
        self,
        pmcid: str,
        names: dict[str, str],
        text: tuple[FullText, RawBody] | None,
        failure: str | None,
        articles: Fetched,
        result: Resolution,
    ) -> None:
        """Put together what PMC and PubMed said; an outage of either is asked about again if text is at stake."""
        name = f"pmcid:{pmcid}"
        article = articles.found.get(names.get("pmid", ""))
        outage = failure or articles.unanswered.get(names.get("pmid", ""))
        if text is not None and text[0].has_body:
            result.found[name] = _with_text(name, names, text[0], article[0] if article else None)
            result.bodies[name] = text[1].digest
        elif failure:
            result.unresolved[name] = failure
        elif article is not None:
            result.found[name] = replace(article[0], source_id=name, url=page_of(name))
            result.bodies[name] = article[1]
        elif outage:
            result.unresolved[name] = outage
        elif text is not None:
            result.found[name] = _with_text(name, names, text[0], None)
            result.bodies[name] = text[1].digest
        else:
            result.found[name] = SourceRecord(name, None, (), url=page_of(name), identifiers=_names(names))


def _with_text(
    name: str, names: dict[str, str], text: FullText, article: SourceRecord | None
) -> SourceRecord:
    base = article or SourceRecord(name, text.title, (), year=text.year, journal=text.journal)
    return replace(
        base,
        source_id=name,
        sections=text.sections,
        url=page_of(name),
        identifiers=tuple(dict.fromkeys([*base.identifiers, *_names(names)])),
        full_text=text.has_body,
    )


def _names(names: dict[str, str]) -> tuple[str, ...]:
    return tuple(f"{scheme}:{value.lower() if scheme == 'doi' else value}" for scheme, value in names.items())
