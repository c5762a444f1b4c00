"""Sentences of a run's answers, split once for all stages."""

from collections import defaultdict
from collections.abc import Sequence

from medassay.models.keys import text_key
from medassay.models.records import Citation, Claim
from medassay.models.text.sentences.answer_sentences import AnswerSentence, answer_sentences
from medassay.sql.warehouse import Warehouse
from medassay.tasks.run import RunRef

SPLIT_AT_ONCE = 500


def split_sentences(run: RunRef) -> None:
    """Store the sentences of the run's answers, those that are not there yet."""
    warehouse = run.warehouse
    answers = warehouse.rows(
        "select distinct answer_key, text from current_answer"
        " anti join (from answer_sentence where fingerprint = pinned('decompose')) using (answer_key)"
        " order by answer_key"
    )
    for start in range(0, len(answers), SPLIT_AT_ONCE):
        batch = answers[start : start + SPLIT_AT_ONCE]
        parts = parts_of(warehouse, [row["answer_key"] for row in batch])
        found = [
            (row["answer_key"], sentence)
            for row in batch
            for sentence in answer_sentences(row["text"], parts[row["answer_key"]])
        ]
        store_sentences(warehouse, found)


def store_sentences(warehouse: Warehouse, found: Sequence[tuple[str, AnswerSentence]]) -> None:
    """Write sentences with their texts."""
    fingerprint = warehouse.value("select pinned('decompose')")
    with warehouse.transaction():
        warehouse.insert("text", [{"text_key": text_key(s.text), "text": s.text} for _, s in found])
        warehouse.insert(
            "answer_sentence",
            [
                {
                    "answer_key": answer_key,
                    "fingerprint": fingerprint,
                    "position": sentence.position,
                    "text_key": text_key(sentence.text),
                    "span_start": sentence.start,
                    "span_end": sentence.end,
                }
                for answer_key, sentence in found
            ],
        )


def parts_of(warehouse: Warehouse, answer_keys: Sequence[str]) -> dict[str, list[Claim]]:
    """Rebuild the claims and non-claims of answers, as far as sentences need them."""
    wanted = {"answers": list(answer_keys)}
    markers: dict[tuple[str, int], list[Citation]] = defaultdict(list)
    for row in warehouse.rows(
        "from current_citation where answer_key in (select unnest($answers)) order by ordinal", wanted
    ):
        markers[row["answer_key"], row["claim_position"]].append(
            Citation(row["ordinal"], row["marker"], row["source_id"], row["span_start"], row["span_end"])
        )
    parts: dict[str, list[Claim]] = defaultdict(list)
    for row in warehouse.rows(
        "from current_claim where answer_key in (select unnest($answers)) order by answer_key, position",
        wanted,
    ):
        key = row["answer_key"]
        parts[key].append(
            Claim(
                row["position"],
                row["text"],
                row["span_start"],
                row["span_end"],
                row["kind"],
                row["kind_reason"],
                citations=tuple(markers[key, row["position"]]),
            )
        )
    return parts


def sentences_of(warehouse: Warehouse, answer_keys: Sequence[str]) -> dict[str, list[str]]:
    """Return the sentences of answers, in order."""
    texts: dict[str, list[str]] = defaultdict(list)
    for row in warehouse.rows(
        "from current_sentence where answer_key in (select unnest($answers)) order by answer_key, position",
        {"answers": list(answer_keys)},
    ):
        texts[row["answer_key"]].append(row["text"])
    return texts
