"""Abstracts from Crossref for articles without one in PubMed."""

from collections.abc import Sequence
from dataclasses import replace

from medassay.models.records import Flag, SourceRecord
from medassay.models.sources.crossref import Crossref
from medassay.models.sources.identifiers import is_notice
from medassay.models.sources.resolver import Resolution, Resolver

JOINED = "pubmed and crossref"
"""Who told a record whose text is Crossref's, and whatever else PubMed's."""
_OF_PUBMED = ("pubmed", "pmc", "pubmed files")


def crossref_among(resolvers: Sequence[Resolver]) -> Crossref | None:
    """Return the Crossref that a run may ask."""
    return next((one for one in resolvers if isinstance(one, Crossref)), None)


def with_abstracts(resolution: Resolution, crossref: Crossref | None) -> Resolution:
    """Give records of PubMed's without a text the abstract that Crossref has of the same DOI.

    What Crossref could not be asked about gets a note, so that a later run asks again; what it has no abstract of
    either is `textless`.
    """
    bare = {
        name: _doi_of(name, record)
        for name, record in resolution.found.items()
        if not record.sections and resolution.origins[name] in _OF_PUBMED
    }
    if crossref is None or not bare:
        return resolution
    told = crossref.resolve(sorted({doi for doi in bare.values() if doi}))
    result = replace(
        resolution,
        found=dict(resolution.found),
        origins=dict(resolution.origins),
        bodies=dict(resolution.bodies),
        notes=dict(resolution.notes),
        raw=[*resolution.raw, *told.raw],
        requests=resolution.requests + told.requests,
    )
    for name, doi in bare.items():
        work = told.found.get(doi or "")
        if doi and work and (work.sections or "yes" in (work.retracted, work.concern, work.erratum)):
            result.found[name] = joined(resolution.found[name], work)
            result.origins[name] = JOINED
            result.bodies[name] = told.bodies[doi]
            if not work.sections:
                result.textless.add(name)
        elif doi in told.unresolved and doi not in told.final:
            result.notes.setdefault(name, f"its abstract could not be had: {told.unresolved[doi]}")
        else:
            result.textless.add(name)
    return result


def joined(record: SourceRecord, work: SourceRecord) -> SourceRecord:
    """Join PubMed's record of an article with Crossref's abstract; a notice that either has stands."""
    return replace(
        record,
        sections=work.sections,
        retracted=_either(record.retracted, work.retracted),
        concern=_either(record.concern, work.concern),
        erratum=_either(record.erratum, work.erratum),
    )


def _either(pubmed: Flag, crossref: Flag) -> Flag:
    return "yes" if crossref == "yes" else pubmed


def _doi_of(name: str, record: SourceRecord) -> str | None:
    """Return the DOI that a record is of: the one that it was asked for by, else the only one that it lists.

    A notice may bear the DOI of the article that it is about.
    """
    listed = [one for one in record.identifiers if one.startswith("doi:")]
    if is_notice(record):
        return None
    if name in listed:
        return name
    return listed[0] if len(listed) == 1 else None
