"""Material of a rubric request: fenced answer, context, references."""

from collections.abc import Sequence

from medassay.models.chat.fence import fenced
from medassay.models.judges.addressed.removal import LEFT_OUT, leave_out_addressed
from medassay.models.judges.judgement import JudgeInput
from medassay.models.judges.prompt_parts import forbidden
from medassay.models.records import CitedSource, Reference

UNCITED = "(without a marker)"
"""What stands before a reference that is listed, or named in passing, and to which no marker of the answer leads."""
_SCHEMES = ("pmid", "pmcid", "doi", "nct", "url", "document")
_LONGEST_UNCITED_CHARS = 300  # its relevance can be told; of its text no claim was made
_MISSING = {"references": "none: the answer lists no reference"}


def material(judge_input: JudgeInput, code: str, canary: str, *, is_told: bool = False) -> str:
    """Set out what is judged; a field that was not supplied says so.

    What speaks to the judge is left out; with `is_told`, what those passages say besides stands in their place.
    """
    context = {
        "question": judge_input.question,
        "profile": judge_input.profile,
        "messages": judge_input.messages,
        "risk level": judge_input.risk_level,
        "guidance": judge_input.guidance,
        "answer": _shown(judge_input.answer, is_told=is_told).strip() or "(the answer is empty)",
        "references": described_references(judge_input.references, is_told=is_told),
    }
    blocks = [
        fenced(name, text if text and text.strip() else _MISSING.get(name, "not given"), code)
        for name, text in context.items()
    ]
    return "\n".join(
        [
            f"The code word is {code}.",
            forbidden(canary),
            f"Has References: {'yes' if judge_input.has_references else 'no'}",
            *blocks,
            "Score the answer now. Reply with the JSON object only.",
        ]
    )


def tells_besides(judge_input: JudgeInput) -> bool:
    """Return whether anything that is left out of the material tells something besides."""
    told = described_references(judge_input.references, is_told=True)
    return bool(leave_out_addressed(judge_input.answer, LEFT_OUT).passages) or told != described_references(
        judge_input.references
    )


def described_references(
    references: Sequence[Reference], longest_content_chars: int = 2000, *, is_told: bool = False
) -> str | None:
    """List the references as the judge sees them, one a line; a long content says it is shown in part."""
    lines = (_described(r, n, longest_content_chars, is_told) for n, r in enumerate(references, 1))
    return "\n".join(lines) or None


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


def _described(reference: Reference, number: int, longest_content_chars: int, is_told: bool) -> str:
    """Describe a reference; what identifies it is never left out, since it speaks to nobody."""
    content = reference.content
    if reference.marker == UNCITED:
        longest_content_chars = min(longest_content_chars, _LONGEST_UNCITED_CHARS)
    if content and len(content) > longest_content_chars:
        content = (
            f"{content[:longest_content_chars]} "
            f"(the first {longest_content_chars} of {len(content)} characters)"
        )
    identifiers = {
        "PMID": reference.pmid,
        "PMCID": reference.pmcid,
        "DOI": reference.doi,
        "trial": reference.nct,
    }
    said = {
        "title": reference.title,
        "source": reference.source,
        **identifiers,
        "URL": reference.url,
        "document": reference.document,
        "content": content,
    }
    shown = "; ".join(
        f"{name}: {value if name in identifiers else _shown(value, is_answer=False, is_told=is_told)}"
        for name, text in said.items()
        if text
        for value in [" ".join(text.split())]
    )
    return f"{reference.marker or f'({number})'} {shown or 'nothing but the marker'}"


def _shown(text: str, *, is_answer: bool = True, is_told: bool = False) -> str:
    cleaned = leave_out_addressed(text, LEFT_OUT, is_answer=is_answer)
    return cleaned.told if is_told else cleaned.text
