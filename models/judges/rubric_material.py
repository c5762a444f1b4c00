"""What the rubric's judge is shown: the answer between fences, with its context and its references."""

from collections.abc import Sequence

from models.chat.fence import fenced
from models.judges.addressed import LEFT_OUT, leave_out_addressed
from models.judges.canary import forbidden
from models.judges.judgement import JudgeInput
from models.records import Reference


def material(judge_input: JudgeInput, code: str, canary: str) -> str:
    """Set out what is judged; a field that was not supplied says so."""
    context = {
        "question": judge_input.question,
        "profile": judge_input.profile,
        "messages": judge_input.messages,
        "risk level": judge_input.risk_level,
        "guidance": judge_input.guidance,
        "answer": leave_out_addressed(judge_input.answer, LEFT_OUT).text.strip() or "(the answer is empty)",
        "references": described_references(judge_input.references),
    }
    blocks = [
        fenced(name, text if text and text.strip() else "not given", code) for name, text in context.items()
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


def described_references(references: Sequence[Reference], longest_content_chars: int = 2000) -> str | None:
    """List the references as the judge sees them, one a line; a long content says it is shown in part."""
    return "\n".join(_described(r, n, longest_content_chars) for n, r in enumerate(references, 1)) or None


def _described(reference: Reference, number: int, longest_content_chars: int) -> str:
    fields = {
        "title": reference.title,
        "source": reference.source,
        "PMID": reference.pmid,
        "PMCID": reference.pmcid,
        "DOI": reference.doi,
        "trial": reference.nct,
        "URL": reference.url,
        "document": reference.document,
        "content": reference.content,
    }
    content = reference.content or ""
    if len(content) > longest_content_chars:
        fields["content"] = (
            f"{content[:longest_content_chars]} "
            f"(the first {longest_content_chars} of {len(content)} characters)"
        )
    shown = "; ".join(f"{name}: {' '.join(value.split())}" for name, value in fields.items() if value)
    shown = leave_out_addressed(shown, LEFT_OUT).text
    return f"{reference.marker or f'({number})'} {shown or 'nothing but the marker'}"
