"""Results as peers' files: in their published shape, and read back by our own adapters."""

import csv
import json
from pathlib import Path
from typing import Any

from medassay.models.intake import Intake, read_data
from medassay.models.intake.peer_exports import (
    OPEN_RAG_EVAL_COLUMNS,
    biogen_left_out,
    biogen_records,
    inspect_score_rows,
    nuggetizer_records,
    open_rag_eval_rows,
    ragchecker_file,
    trec_run_lines,
)

QUESTIONS = [
    {"question_id": "q1", "question": "Why?", "reference_answer": "Because."},
    {"question_id": "q2", "question": "How?", "reference_answer": None},
]
ANSWERS = [
    {"question_id": "q1", "system": "a b", "answer": "It is thus [2]. Perhaps [1]."},
    {"question_id": "q2", "system": "a b", "answer": "So."},
    {"question_id": "q1", "system": "other", "answer": None},
]
STATES = [
    {"question_id": "q1", "system": "a b", "nugget": nugget, "importance": importance, "state": state}
    for nugget, importance, state in [
        ("n1", "vital", "covered"),
        ("n2", "vital", "contradicted"),
        ("n3", "okay", "partial"),
        ("n4", "okay", "missing"),
    ]
]
CLAIMS = [
    {"question_id": "q1", "system": "a b", "claim_id": "c10", "position": 9, "claim": "Perhaps."},
    {"question_id": "q1", "system": "a b", "claim_id": "c2", "position": 1, "claim": "It is thus."},
]


def verdict(
    claim_id: str, ordinal: int, citation: str, source: str | None, passage: str | None
) -> dict[str, Any]:
    cited = {"claim_id": claim_id, "ordinal": ordinal, "citation": citation, "source_id": source}
    return {"question_id": "q1", "system": "a b", **cited, "passage": passage}


VERDICTS = [
    verdict("c10", 0, "[1]", "doi:10.1/x y", "Ten."),
    verdict("c10", 1, "[2]", "pmid:22", "Two."),
    verdict("c10", 2, "[9]", None, None),
    *(verdict("c2", n, f"[{marker}]", f"pmid:{pmid}", text) for n, (marker, pmid, text) in enumerate([(2, 22, "Two."), (4, 44, None), (5, 55, None), (6, 66, None)])),
]  # fmt: skip


def test_nuggetizer_assignments_read_back_as_the_same_question_and_answer(tmp_path: Path) -> None:
    (record,) = nuggetizer_records(QUESTIONS, ANSWERS, STATES)
    assert record == {
        "query": "Why?",
        "qid": "q1",
        "answer_text": "It is thus [2]. Perhaps [1].",
        "response_length": 6,
        "run_id": "a b",
        "nuggets": [
            {"text": "n1", "importance": "vital", "assignment": "support"},
            {"text": "n2", "importance": "vital", "assignment": "not_support"},
            {"text": "n3", "importance": "okay", "assignment": "partial_support"},
            {"text": "n4", "importance": "okay", "assignment": "not_support"},
        ],
    }
    assert read_back(tmp_path / "assigned.jsonl", json.dumps(record)) == (
        "nuggetizer",
        [("question", "q1", None), ("answer", "q1", "It is thus [2]. Perhaps [1].")],
    )


def test_ragchecker_gets_what_the_citations_were_held_against(tmp_path: Path) -> None:
    file = ragchecker_file(QUESTIONS, ANSWERS, VERDICTS, "a b")
    assert file == {
        "results": [
            {
                "query_id": "q1",
                "query": "Why?",
                "gt_answer": "Because.",
                "response": "It is thus [2]. Perhaps [1].",
                "retrieved_context": [
                    {"doc_id": "pmid:22", "text": "Two."},
                    {"doc_id": "doi:10.1/x y", "text": "Ten."},
                ],
            }
        ]
    }
    shape, rows = read_back(tmp_path / "a b.json", json.dumps(file))
    assert (shape, [row[0] for row in rows]) == ("RAGChecker", ["question", "answer"])


def test_open_rag_eval_passages_have_the_markers_of_the_answer(tmp_path: Path) -> None:
    rows = list(open_rag_eval_rows(QUESTIONS, ANSWERS, VERDICTS, "a b"))
    told = [(row["query_id"], row["passage_id"], row["passage"], row["generated_answer"]) for row in rows]
    assert told == [
        ("q1", "[2]", "Two.", "It is thus [2]. Perhaps [1]."),
        ("q1", "[1]", "Ten.", ""),
        ("q2", "[0]", "", "So."),
    ]
    path = tmp_path / "a.csv"
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, OPEN_RAG_EVAL_COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    assert read_back(path, None)[0] == "open-rag-eval"


def test_open_rag_eval_finds_citations_that_are_no_numbers(tmp_path: Path) -> None:
    # Its loader reads `[7]` and `[7, 8]` only; `[guide-01]` and what stands beside a sentence would cite nothing.
    answer = "Rest helps [guide-01], see (PMID: 77). Water too [2]. Sleep."
    cited = [
        ("c1", 0, "[guide-01]", "Rest helps [guide-01], see (PMID: 77).", "On rest."),
        ("c1", 1, "PMID: 77", "Rest helps [guide-01], see (PMID: 77).", "On rest too."),
        ("c2", 0, "[2]", "Water too [2].", "On water."),
        ("c3", 0, "guide-012", "Sleep.", "On sleep."),
        ("c3", 1, "[guide-01]", "Sleep.", "On sleep after rest."),
    ]
    verdicts = [
        {**verdict(claim_id, ordinal, citation, "document:x", passage), "claim": claim}
        for claim_id, ordinal, citation, claim, passage in cited
    ]
    rows = list(open_rag_eval_rows(QUESTIONS, [{**ANSWERS[0], "answer": answer}], verdicts, "a b"))
    assert [(row["passage_id"], row["passage"], row["generated_answer"]) for row in rows] == [
        ("[1]", "On rest.\n\nOn sleep after rest.", "Rest helps [1], see ([3]). Water too [2]. Sleep. [4]"),
        ("[3]", "On rest too.", ""),
        ("[2]", "On water.", ""),
        ("[4]", "On sleep.", ""),
    ]


def test_a_biogen_run_has_its_sentences_in_order_and_three_pmids_each(tmp_path: Path) -> None:
    records = list(biogen_records(ANSWERS, CLAIMS, VERDICTS))
    assert records[0] == {
        "metadata": {"team_id": "a b", "run_id": "a b", "topic_id": "q1"},
        "responses": [
            {"text": "It is thus.", "citations": ["22", "44", "55"]},
            {"text": "Perhaps.", "citations": ["22"]},
        ],
    }
    assert [record["responses"] for record in records[1:]] == [[], []]
    shape, rows = read_back(tmp_path / "run.jsonl", "\n".join(map(json.dumps, records)))
    assert (shape, [row[0] for row in rows]) == ("BioACE / TREC BioGen", ["answer"] * 3)


def test_what_a_biogen_run_leaves_out_is_said() -> None:
    cited = {"question_id": "q1", "system": "a b", "claim_id": "c1"}
    named = ["pmid:1", "pmid:2", "pmid:3", "pmid:1"]
    rows = [{**cited, "ordinal": n, "source_id": name} for n, name in enumerate(named)]
    assert biogen_left_out(rows) is None
    more = ["pmid:4", "document:a", "document:b", "doi:10.1/x", None]
    rows += [{**cited, "ordinal": n, "source_id": name} for n, name in enumerate(more, 4)]
    assert biogen_left_out(rows) == (
        "5 of 9 citations left out, since it takes three PMIDs a sentence: 2 of supplied documents, 1 named by DOI,"
        " 1 that lead to no source, 1 beyond the third; --as csv --view citations has them all"
    )


def test_scores_for_inspect_have_the_ids_and_epochs_of_its_log() -> None:
    scores = [
        {
            "question_id": name,
            "system": "a b",
            "vital": value,
            "vital_reason": why,
            "all": None,
            "all_reason": "none",
        }
        for name, value, why in (("q1", 0.5, None), ("q1, repeat 2", None, "a timeout"))
    ]
    about = {"metric": "vital", "system": "a b"}
    assert json.dumps(inspect_score_rows(ANSWERS, scores, "vital", "a b")) == json.dumps(
        [
            {"id": "q1", "epoch": 1, "value": 0.5, "answer": ANSWERS[0]["answer"], "metadata": about},
            {"id": "q1", "epoch": 2, "value": float("nan"), "explanation": "a timeout", "metadata": about},
        ]
    )
    assert inspect_score_rows(ANSWERS, scores, "all", "a b") == []


def test_a_trec_run_ranks_sources_by_their_first_citation() -> None:
    assert list(trec_run_lines(VERDICTS)) == [
        "q1 Q0 pmid:22 1 1.000000 a_b\n",
        "q1 Q0 pmid:44 2 0.500000 a_b\n",
        "q1 Q0 pmid:55 3 0.333333 a_b\n",
        "q1 Q0 pmid:66 4 0.250000 a_b\n",
        "q1 Q0 doi:10.1/x_y 5 0.200000 a_b\n",
    ]


def read_back(path: Path, body: str | None) -> tuple[str, list[tuple[str, str, Any]]]:
    if body is not None:
        path.write_text(body, encoding="utf-8")
    data = read_data(path)
    rows = [row for row in data.rows if isinstance(row, Intake)]
    return data.shape, [(row.kind, row.value["question_id"], row.value.get("answer")) for row in rows]
