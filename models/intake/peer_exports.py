"""Write results in peer tools' formats.

Each function takes the rows of one run (dicts with the views' columns) and yields what its tool reads; the names
of columns are those of the views `questions`, `answers`, `claims`, `nugget_states` and `citation_verdicts`.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any

from medassay.models.counting import counted

Row = Mapping[str, Any]
ASSIGNMENTS = {
    "covered": "support",
    "partial": "partial_support",
    "missing": "not_support",
    "contradicted": "not_support",
}
"""Our states in nuggetizer's words; it has none for an answer that says the opposite."""
_SPACES = re.compile(r"\s+")
_MOST_PMIDS = 3
_KINDS = {
    "document": "of supplied documents",
    "reference": "of references without an identifier",
    "url": "of web pages",
}
_NUMBERS_IN_BRACKETS = re.compile(r"\[\d+(?:,\s*\d+)*\]")


def nuggetizer_records(
    questions: Iterable[Row], answers: Iterable[Row], nugget_states: Iterable[Row]
) -> Iterator[dict[str, Any]]:
    """Yield an output record of nuggetizer's `assign` for each answer to a question that has nuggets.

    Its `metrics` over these are our `vital_strict`, `all_strict`, `vital` and `all`.
    """
    asked = {row["question_id"]: row["question"] for row in questions}
    nuggets = _grouped(nugget_states, "question_id", "system")
    for answer in answers:
        states = nuggets.get((answer["question_id"], answer["system"]), [])
        text = answer["answer"] or ""
        if states:
            yield {
                "query": asked[answer["question_id"]],
                "qid": answer["question_id"],
                "answer_text": text,
                "response_length": len(text.split()),
                "run_id": answer["system"],
                "nuggets": [
                    {
                        "text": row["nugget"],
                        "importance": row["importance"],
                        "assignment": ASSIGNMENTS[row["state"]],
                    }
                    for row in states
                ],
            }


def ragchecker_file(
    questions: Iterable[Row], answers: Iterable[Row], citation_verdicts: Iterable[Row], system: str
) -> dict[str, Any]:
    """Return one system's input file of RAGChecker; the passages that its citations were held against are the context.

    A question without a reference answer is left out: RAGChecker has nothing to compare with.
    """
    known = {row["question_id"]: row for row in questions if row["reference_answer"]}
    read = _grouped((row for row in citation_verdicts if row["system"] == system), "question_id")
    return {
        "results": [
            {
                "query_id": answer["question_id"],
                "query": known[answer["question_id"]]["question"],
                "gt_answer": known[answer["question_id"]]["reference_answer"],
                "response": answer["answer"] or "",
                "retrieved_context": [
                    {"doc_id": row["source_id"], "text": row["passage"]}
                    for row in _passages(read.get((answer["question_id"],), []), "source_id")
                ],
            }
            for answer in answers
            if answer["system"] == system and answer["question_id"] in known
        ]
    }


OPEN_RAG_EVAL_COLUMNS = ("query_id", "query", "query_run", "passage_id", "passage", "generated_answer")


def open_rag_eval_rows(
    questions: Iterable[Row], answers: Iterable[Row], citation_verdicts: Iterable[Row], system: str
) -> Iterator[dict[str, Any]]:
    """Yield the rows of one system's CSV for open-rag-eval: one a passage, the answer beside the first.

    The tool looks for numbers in brackets in the answer. Markers of that form stay; others, such as document ids, and
    citations that were given beside the sentences, become such numbers in what is written. Passages read under one
    marker are one. An answer that cites nothing readable has one row with an empty passage.
    """
    asked = {row["question_id"]: row["question"] for row in questions}
    read = _grouped((row for row in citation_verdicts if row["system"] == system), "question_id")
    for answer in answers:
        if answer["system"] != system:
            continue
        text, named = _numbered(answer["answer"] or "", read.get((answer["question_id"],), []))
        for number, (marker, passages) in enumerate(named.items() or {"[0]": [""]}.items()):
            yield dict(
                zip(
                    OPEN_RAG_EVAL_COLUMNS,
                    (
                        answer["question_id"],
                        asked[answer["question_id"]],
                        1,
                        marker,
                        "\n\n".join(dict.fromkeys(passages)),
                        "" if number else text,
                    ),
                    strict=True,
                )
            )


def _numbered(text: str, rows: Sequence[Row]) -> tuple[str, dict[str, list[str]]]:
    """Return an answer whose citations are numbers in brackets, and the passages of each number."""
    taken = set(re.findall(r"\d+", " ".join(_NUMBERS_IN_BRACKETS.findall(text))))
    beside: set[str] = set()
    free = (str(n) for n in count(1) if str(n) not in taken)
    numbers: dict[str, str] = {}
    passages: dict[str, list[str]] = {}
    written = (
        (row, marker.strip("[]() "))
        for row in _in_order([row for row in rows if row["passage"]])
        for marker in _markers(row["citation"], text)
    )
    for row, name in written:
        if name not in numbers:
            numbers[name] = name if name in taken else next(free)
            bare = rf"(?<![\w-]){re.escape(name)}(?![\w-])"
            if name not in taken:
                text, n_written = re.subn(rf"\[{bare}\]|{bare}", f"[{numbers[name]}]", text)
                if not n_written:
                    beside.add(name)
        marker = f"[{numbers[name]}]"
        if name in beside and row["claim"] in text:
            text = text.replace(row["claim"], f"{row['claim']} {marker}", 1)
        passages.setdefault(marker, []).append(row["passage"])
    return text, passages


def _markers(citation: str, text: str) -> list[str]:
    """Take the markers of one record apart, "PMID: 1; doi:10.1/x", where they do not stand so in the answer."""
    parts = citation.split("; ")
    return parts if citation not in text and all(part in text for part in parts) else [citation]


def biogen_records(
    answers: Iterable[Row], claims: Iterable[Row], citation_verdicts: Iterable[Row]
) -> Iterator[dict[str, Any]]:
    """Yield the records of a TREC BioGen run (task B), sentence by sentence with the PMIDs that each claim cites.

    The track allows three PMIDs a sentence: the first three stand. What is no claim is written too, citing nothing.
    """
    said = _grouped(claims, "question_id", "system")
    cited = _grouped(citation_verdicts, "question_id", "system", "claim_id")
    for answer in answers:
        key = (answer["question_id"], answer["system"])
        system = answer["system"]
        yield {
            "metadata": {"team_id": system, "run_id": system, "topic_id": answer["question_id"]},
            "responses": [
                {
                    "text": row["claim"],
                    "citations": _pmids(cited.get((*key, row["claim_id"]), []))[:_MOST_PMIDS],
                }
                for row in sorted(said.get(key, []), key=lambda row: int(row["position"]))
            ],
        }


def biogen_left_out(citation_verdicts: Sequence[Row]) -> str | None:
    """Return how many citations a BioGen run has no place for, and why; None where all of them stand in it."""
    why = Counter(_kind(row["source_id"]) for row in citation_verdicts if not _is_pmid(row["source_id"]))
    sentences = _grouped(citation_verdicts, "question_id", "system", "claim_id").values()
    why["beyond the third"] = sum(max(len(_pmids(rows)) - _MOST_PMIDS, 0) for rows in sentences)
    parts = [f"{number:,} {kind}" for kind, number in why.most_common() if number]
    if not parts:
        return None
    return (
        f"{why.total():,} of {counted(len(citation_verdicts), 'citation')} left out, since it takes three PMIDs a"
        f" sentence: {', '.join(parts)}; --as csv --view citations has them all"
    )


def _kind(source_id: str | None) -> str:
    scheme = (source_id or "").partition(":")[0]
    return _KINDS.get(scheme, f"named by {scheme.upper()}" if scheme else "that lead to no source")


def _is_pmid(source_id: str | None) -> bool:
    return source_id is not None and source_id.startswith("pmid:")


def inspect_score_rows(
    answers: Iterable[Row], answer_scores: Iterable[Row], metric: str, system: str
) -> list[dict[str, Any]]:
    """Return the rows of one metric and system for Inspect's `precomputed_scores`; none where no answer has a value.

    The id and epoch are those of the log that the answers came from (`q1, repeat 2`). What could not be measured is
    NaN with the reason, which Inspect keeps and leaves out of its means.
    """
    said = {row["question_id"]: row["answer"] for row in answers if row["system"] == system}
    rows = []
    for row in answer_scores:
        if row["system"] == system:
            value = row.get(metric)
            identity, _, repeat = row["question_id"].partition(", repeat ")
            scored = {
                "id": identity,
                "epoch": int(repeat) if repeat.isdecimal() else 1,
                "value": float("nan") if value is None else float(value),
                "answer": said.get(row["question_id"]),
                "explanation": row.get(f"{metric}_reason") if value is None else None,
                "metadata": {"metric": metric, "system": system},
            }
            rows.append({name: part for name, part in scored.items() if part is not None})
    return rows if any(row["value"] == row["value"] for row in rows) else []


def trec_run_lines(citation_verdicts: Iterable[Row]) -> Iterator[str]:
    """Yield a TREC run: each system's cited sources a question, in the order in which it first cites them.

    `question Q0 source rank score system`, with 1 / rank as the score; white space within a name becomes `_`.
    """
    for (question, system), rows in _grouped(citation_verdicts, "question_id", "system").items():
        sources = dict.fromkeys(row["source_id"] for row in _in_order(rows) if row["source_id"])
        for rank, source in enumerate(sources, 1):
            yield f"{_word(question)} Q0 {_word(source)} {rank} {1 / rank:.6f} {_word(system)}\n"


def _word(name: str) -> str:
    return _SPACES.sub("_", name.strip())


def _grouped(rows: Iterable[Row], *columns: str) -> dict[tuple[Any, ...], list[Row]]:
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in columns), []).append(row)
    return groups


def _place(row: Row) -> tuple[int, int]:
    digits = re.search(r"\d+$", str(row["claim_id"]))
    return (int(digits[0]) if digits else 0, int(row["ordinal"]))


def _in_order(rows: Sequence[Row]) -> list[Row]:
    """Sort citations as they stand in the answer."""
    return sorted(rows, key=_place)


def _passages(rows: Sequence[Row], name: str) -> list[Row]:
    """Return each passage that was read once under each name, where it is first cited."""
    read = {(row[name], row["passage"]): row for row in reversed(_in_order(rows)) if row["passage"]}
    return _in_order(list(read.values()))


def _pmids(rows: Sequence[Row]) -> list[str]:
    named = (row["source_id"] for row in _in_order(rows) if _is_pmid(row["source_id"]))
    return list(dict.fromkeys(name.removeprefix("pmid:") for name in named))
