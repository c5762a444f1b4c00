"""What a judge is shown of an answer as it was written: its references are read from it by our own parser."""

from collections.abc import Sequence

from medassay.models.judges.judgement import JudgeInput
from medassay.models.judges.rubric_material import UNCITED
from medassay.models.records import Answer, CitedSource, Reference
from medassay.models.text.claims.decomposition import decompose

_SCHEMES = ("pmid", "pmcid", "doi", "nct", "url", "document")


def briefed(
    question: str,
    text: str,
    references: Sequence[Reference] = (),
    *,
    profile: str | None = None,
    messages: str | None = None,
    guidance: str | None = None,
    risk_level: str | None = None,
) -> JudgeInput:
    """Build what a judge is shown: whether there are references is read from the answer, and nobody's word.

    Args:
        question: What was asked.
        text: The answer, with its markers and lists.
        references: References given beside it.
        profile: Who asks.
        messages: What was said before.
        guidance: What a good answer does and does not do.
        risk_level: How much a wrong answer could harm.
    """
    parts = decompose(Answer("", "", text, references=tuple(references)), question)
    markers: dict[str, str] = {}
    for citation in (citation for claim in parts.claims for citation in claim.citations):
        if citation.source_id:
            markers.setdefault(citation.source_id, citation.marker)
    return JudgeInput(
        question=question,
        answer=text,
        references=tuple(described(source, markers.get(source.source_id)) for source in parts.sources),
        has_references=parts.has_references,
        profile=profile,
        messages=messages,
        guidance=guidance,
        risk_level=risk_level,
    )


def described(source: CitedSource, marker: str | None) -> Reference:
    """Describe a source as the judge sees it; of one without a marker that is said."""
    scheme, _, value = source.source_id.partition(":")
    said = {
        "marker": marker or UNCITED,
        "url": source.url,
        "title": source.title,
        "content": source.content,
        "source": source.origin,
    }
    return Reference(**{**said, **({scheme: value} if scheme in _SCHEMES else {})})
