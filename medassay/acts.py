"""Single operations of the library: verify a claim, score nuggets, parse citations."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from medassay.data import Rows

Label = Literal["entailment", "neutral", "contradiction"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a passage says of a claim.

    Attributes:
        label: The most probable of the three; None where the reader gave no verdict, and `reason` says why.
        entailment: Probability that the passage says what the claim says, 0 to 1.
        neutral: Probability that it says nothing of it.
        contradiction: Probability that it says otherwise.
        sentence: The passage's deciding sentence, where the reader names one.
        reason: Why there is no verdict.
    """

    label: Label | None
    entailment: float | None
    neutral: float | None
    contradiction: float | None
    sentence: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class NuggetState:
    """What an answer says of one nugget: covered, partial, contradicted or missing, by which claims, and why."""

    nugget: str
    state: str
    score: float | None
    claims: tuple[str, ...]
    reason: str | None


@dataclass(frozen=True, slots=True)
class NuggetScores:
    """An answer against its nuggets: `scores` by metric (None with a reason in `reasons`), and each nugget's state."""

    nuggets: tuple[NuggetState, ...]
    scores: Mapping[str, float | None]
    reasons: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ParsedCitation:
    """A claim's pointer to a source.

    Attributes:
        marker: The characters that cite, such as `[1]`.
        source_id: `scheme:value` such as `pmid:123` or `doi:10.1/x`; None for a marker with nothing behind it.
        start: Where the marker starts in the text, in characters; None where the citation came as data.
        end: Where it ends.
        claim: The words that it is cited for, markers removed.
        claim_start: Where the claim starts in the text, in characters.
        claim_end: Where it ends.
    """

    marker: str
    source_id: str | None
    start: int | None
    end: int | None
    claim: str
    claim_start: int
    claim_end: int


def verify(claim: str, passage: str, *, reader: str = "auto") -> Verdict:
    """Return whether a passage entails a claim, contradicts it, or says nothing of it.

    The model stays loaded for later calls. A long passage is read in windows, the claim is never cut.

    Args:
        claim: The statement.
        passage: The text that is said to support it.
        reader: `encoder`, `llm`, `cascade`, `auto` (the cascade where its models are here), or `hf:` and a hub id or
            folder.

    Raises:
        ModelMissing, EntailmentUnavailable: when the reader cannot be loaded; the message says what to do.
    """
    from medassay.models.nli import load_entailment
    from medassay.models.nli.choosing import named_reader
    from medassay.tasks.model_cache import keep_models, loaded

    keep_models()
    reader = named_reader(reader)
    model = loaded("entailment", reader, lambda: load_entailment(reader))
    (found,) = model.score([(passage, claim)], None)
    if found.entailment is None or found.neutral is None or found.contradiction is None:
        return Verdict(None, None, None, None, None, found.reason)
    shares: dict[Label, float] = {
        "entailment": found.entailment, "neutral": found.neutral, "contradiction": found.contradiction,
    }  # fmt: skip
    label: Label = max(shares, key=shares.__getitem__)
    sentence = passage[found.sentence.start : found.sentence.end] if found.sentence else None
    return Verdict(label, found.entailment, found.neutral, found.contradiction, sentence, found.reason)


def score_nuggets(
    question: str,
    answer: str,
    nuggets: Sequence[str | Mapping[str, Any]],
    *,
    reader: str = "auto",
    **choices: Any,
) -> NuggetScores:
    """Hold one answer against the facts that a good one holds, with the stages of `evaluate`.

    Args:
        question: What was asked.
        answer: The answer's text.
        nuggets: The facts: texts, or `{"text": …, "importance": "vital" | "okay"}`.
        reader: As for `evaluate`.
        choices: Further keywords of `evaluate`, such as `llm` or `profile`.

    Raises:
        BadData: when the question is blank or no nugget has a word in it.
    """
    from medassay.evaluation import evaluate
    from medassay.metrics import METRICS, NUGGETS

    tables: dict[str, Rows] = {
        "questions": [{"question_id": "question", "question": question, "nuggets": list(nuggets)}],
        "answers": [{"question_id": "question", "system": "answer", "answer": answer}],
    }
    result = evaluate(
        tables,
        reader=reader,
        **choices,
    )
    claims = dict(zip(result.claims["claim_id"], result.claims["claim"], strict=True))
    (scored,) = result.answers.to_dict("records")
    measured = [metric.name for metric in METRICS if metric.group is NUGGETS and metric.name in scored]
    return NuggetScores(
        nuggets=tuple(
            NuggetState(
                row["nugget"],
                row["state"],
                _number(row["score"]),
                tuple(claims[name] for name in row["claim_ids"]),
                row["reason"] or None,
            )
            for row in result.nuggets.to_dict("records")
        ),
        scores={name: _number(scored[name]) for name in measured},
        reasons={name: str(why) for name in measured if isinstance(why := scored[f"{name}_reason"], str)},
    )


def _number(value: Any) -> float | None:
    return None if value is None or value != value else float(value)


def parse_citations(text: str, references: Iterable[Mapping[str, Any] | str] = ()) -> list[ParsedCitation]:
    """Return what a text cites and for which words, in the text's order.

    Args:
        text: An answer with markers such as `[1]`, `(Smith 2020)`, `PMID: 1`, and perhaps its own reference list.
        references: Its reference list as data: `{"marker", "pmid", "doi", "url", "title" …}`, or texts.
    """
    from medassay.models.intake.references import to_references
    from medassay.models.records import Answer
    from medassay.models.text.claims.decomposition import decompose

    listed = to_references([dict(entry) if isinstance(entry, Mapping) else entry for entry in references])
    parts = decompose(Answer("", "", text, listed), "")
    return [
        ParsedCitation(
            citation.marker,
            citation.source_id,
            citation.start,
            citation.end,
            claim.text,
            claim.start,
            claim.end,
        )
        for claim in parts.claims
        for citation in claim.citations
    ]
