"""Every peer's form, record for record in the published shape, to the rows that it becomes."""

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from medassay.models.intake import BadRow, Intake, read_data, to_answer, violations
from medassay.models.records import CitedSpan, Reference
from tests.rows import write_rows

Row = tuple[str, dict[str, Any]]


def read(path: Path, shape: str) -> list[Row]:
    """Return a data set's rows; all of them are readable, sound and of the given shape."""
    data = read_data(path)
    rows = list(data.rows)
    assert data.shape == shape
    for row in rows:
        assert isinstance(row, Intake)
        assert violations(row.kind, [row.value]) == []
    return [(row.kind, row.value) for row in rows if isinstance(row, Intake)]


def lines(path: Path, *records: object) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def test_trec_biogen_2025_reference_attribution(tmp_path: Path) -> None:
    record = {
        "metadata": {"team_id": "team", "run_id": "team-run", "topic_id": "12"},
        "responses": [
            {"text": "Because.", "citations": ["111", "222"]},
            {"text": "Also.", "citations": []},
            {"text": "Last.", "citations": [33333333]},
        ],
    }
    ((kind, answer),) = read(lines(tmp_path / "run.jsonl", record), "BioACE / TREC BioGen")
    assert (kind, answer) == (
        "answer",
        {
            "question_id": "12",
            "system": "team-run",
            "sentences": [
                {"text": "Because.", "citations": ["PMID:111", "PMID:222"]},
                {"text": "Also.", "citations": []},
                {"text": "Last.", "citations": ["PMID:33333333"]},
            ],
        },
    )
    assert to_answer(answer).text == "Because. Also. Last."
    assert to_answer(answer).cited_spans == (
        CitedSpan(0, 8, ("PMID:111", "PMID:222"), is_sentence=True),
        CitedSpan(9, 14, (), is_sentence=True),
        CitedSpan(15, 20, ("PMID:33333333",), is_sentence=True),
    )


def test_bioace_baseline_output_holds_its_questions(tmp_path: Path) -> None:
    record = {
        "metadata": {"topic_id": "7", "question": "Why?", "answer": "Because."},
        "responses": [{"text": "Because.", "citations": ["111"]}],
    }
    path = tmp_path / "baseline.json"
    path.write_text(json.dumps([record]))
    assert read(path, "BioACE / TREC BioGen") == [
        ("question", {"question_id": "7", "question": "Why?"}),
        (
            "answer",
            {
                "question_id": "7",
                "system": "baseline",
                "sentences": [{"text": "Because.", "citations": ["PMID:111"]}],
            },
        ),
    ]


def test_trec_biogen_2025_grounding_cites_what_it_holds_to_support(tmp_path: Path) -> None:
    record = {
        "metadata": {"team_id": "t", "run_id": "r", "qa_id": "1", "question": "Why?"},
        "answer": [{"text": "A.", "supported_citations": ["3"], "contradicted_citations": ["5"]}],
    }
    question, answer = read(lines(tmp_path / "run.jsonl", record), "BioACE / TREC BioGen")
    assert question == ("question", {"question_id": "1", "question": "Why?"})
    assert answer[1]["sentences"] == [{"text": "A.", "citations": ["PMID:3"]}]


def test_trec_biogen_2024_runs_with_their_topics(tmp_path: Path) -> None:
    run = {
        "team_id": "t",
        "run_name": "t-1",
        "contact_email": "a@b.example",
        "results": [{"topic_id": "4", "answer": "It helps [123, 456].", "references": ["123", "456"]}],
    }
    (tmp_path / "t-1.json").write_text(json.dumps(run, indent=2))
    topics = {"topics": [{"id": 4, "topic": "sleep", "question": "Why?", "narrative": "The patient asks."}]}
    (tmp_path / "topics.json").write_text(json.dumps(topics))
    answer, question = read(tmp_path, "BioACE / TREC BioGen")
    assert question[1] == {
        "question_id": "4",
        "question": "Why?",
        "category": "sleep",
        "guidance": "The patient asks.",
    }
    assert (answer[1]["question_id"], answer[1]["system"], answer[1]["answer"]) == (
        "4",
        "t-1",
        "It helps [123, 456].",
    )
    assert to_answer(answer[1]).references == (
        Reference(marker="123", pmid="123"),
        Reference(marker="456", pmid="456"),
    )


def test_trec_rag_citations_are_indices_into_the_references(tmp_path: Path) -> None:
    record = {
        "run_id": "r",
        "topic_id": "9",
        "topic": "why",
        "references": ["msmarco_1", "22"],
        "response_length": 2,
        "answer": [{"text": "A.", "citations": [1, 0]}],
    }
    question, answer = read(lines(tmp_path / "r.jsonl", record), "BioACE / TREC BioGen")
    assert question[1]["question"] == "why"
    assert answer[1]["sentences"] == [{"text": "A.", "citations": ["PMID:22", "msmarco_1"]}]


def test_kqa_as_published_with_a_result_file(tmp_path: Path) -> None:
    lines(
        tmp_path / "questions.jsonl",
        {
            "Question": "Is it safe?",
            "Free_form_answer": "Yes.",
            "Must_have": ["It is."],
            "Nice_to_have": ["So."],
        },
    )
    (tmp_path / "gpt.json").write_text(json.dumps([{"Question": "Is it safe?", "result": "Quite."}]))
    question, answer = read(tmp_path, "K-QA")
    assert question[1] | {"question_id": ""} == {
        "question_id": "",
        "question": "Is it safe?",
        "reference_answer": "Yes.",
        "nuggets": [{"text": "It is.", "importance": "vital"}, {"text": "So.", "importance": "okay"}],
    }  # fmt: skip
    assert answer == (
        "answer",
        {"question_id": question[1]["question_id"], "system": "gpt", "answer": "Quite."},
    )


def test_kqa_label_rows_hold_an_answer_once_and_a_label_a_physician(tmp_path: Path) -> None:
    row = {"question_id": "k", "system": "s", "answer": "A.", "labels": ["neutral", "entailment"]}
    path = lines(tmp_path / "labels.jsonl", {**row, "nugget": "x"}, {**row, "nugget": "y", "role": "test"})
    rows = read(path, "K-QA")
    assert [kind for kind, _ in rows] == ["answer", *["human_score"] * 4]
    assert rows[4][1] == {
        "question_id": "k",
        "system": "s",
        "annotator": "physician 2",
        "metric": "nugget_label",
        "target": "nugget",
        "role": "test",
        "item": "y",
        "label": "entailment",
        "judge": "",
    }


def test_what_a_named_file_holds_is_not_read_from_another(tmp_path: Path) -> None:
    lines(tmp_path / "questions.jsonl", {"question_id": "116", "question": "Why?"})
    lines(tmp_path / "answers.jsonl", {"question_id": "116", "system": "M1", "answer": "It may."})
    (tmp_path / "raw.json").write_text(json.dumps([MEDAESQA]))
    data = read_data(tmp_path)
    assert [row.kind for row in data.rows] == ["question", "answer", *["human_score"] * 3]
    assert data.warnings == [
        f"{tmp_path / 'raw.json'}: 1 rows not read as questions, since questions.* holds them",
        f"{tmp_path / 'raw.json'}: 1 rows not read as answers, since answers.* holds them",
    ]


def test_two_different_answers_of_one_system_both_come_in(tmp_path: Path) -> None:
    row = {"question_id": "k", "system": "s", "nugget": "x", "labels": []}
    rows = read(lines(tmp_path / "labels.jsonl", {**row, "answer": "A."}, {**row, "answer": "B."}), "K-QA")
    assert [value["answer"] for _, value in rows] == ["A.", "B."]


MEDAESQA = {
    "question_id": "116",
    "question": "Why?",
    "question_frame": {"Specialty": "neurology"},
    "expert_curated_answer": " It may [111, 222].",
    "machine_generated_answers": {
        "M1": {
            "answer": "It may [111]. So.",
            "is_answer_accurate": "no",
            "answer_sentences": [
                {
                    "answer_sentence_id": "1",
                    "answer_sentence_relevance": "required",
                    "citation_assessment": [
                        {"cited_pmid": "111", "evidence_relation": "neutral"},
                        {"cited_pmid": "111", "evidence_relation": "supporting"},
                    ],
                },
                {"answer_sentence_id": "2", "answer_sentence_relevance": "unnecessary", "citation_assessment": None},
            ],
        }
    },
}  # fmt: skip


def test_medaesqa_keeps_every_word_and_what_experts_judged(tmp_path: Path) -> None:
    path = tmp_path / "medaesqa.json"
    path.write_text(json.dumps([MEDAESQA]))
    question, answer, *scores = read(path, "MedAESQA")
    assert question[1] == {
        "question_id": "116",
        "question": "Why?",
        "reference_answer": " It may [111, 222].",
        "category": "neurology",
    }
    assert answer[1] == {"question_id": "116", "system": "M1", "answer": "It may [111]. So."}
    told = [
        tuple(row.get(n) or None for n in ("metric", "item", "label")) + (row.get("score"),)
        for _, row in scores
    ]
    assert told == [
        ("answer_accurate", None, "no", 0.0),
        ("required_sentences", None, None, 0.5),
        ("evidence_relation", "sentence 1, PMID:111", "supporting", None),
    ]


def test_ragchecker(tmp_path: Path) -> None:
    result = {
        "query_id": "1",
        "query": "Why?",
        "gt_answer": "Because.",
        "response": "Thus [1].",
        "retrieved_context": [{"doc_id": "d", "text": "It is thus."}],
    }
    expected = [
        ("question", {"question_id": "1", "question": "Why?", "reference_answer": "Because."}),
        (
            "answer",
            {
                "question_id": "1",
                "system": "inputs",
                "answer": "Thus [1].",
                "references": [{"marker": "1", "title": "d", "content": "It is thus."}],
                "contexts": ["It is thus."],
            },
        ),
    ]
    (tmp_path / "inputs.json").write_text(json.dumps({"results": [result], "metrics": {"f1": 1.0}}))
    assert read(tmp_path / "inputs.json", "RAGChecker") == expected
    assert read(lines(tmp_path / "inputs.jsonl", {"results": [result]}), "RAGChecker") == expected


def test_nuggetizer_nuggets_and_assignments(tmp_path: Path) -> None:
    nuggets = [{"text": "a", "importance": "vital"}, {"text": "b", "importance": "failed"}]
    create = {"query": "Why?", "qid": "q1", "nuggets": nuggets}
    assign = {
        **create,
        "answer_text": "a.",
        "response_length": 1,
        "run_id": "run-1",
        "nuggets": [{**nugget, "assignment": "support"} for nugget in nuggets],
    }
    question = (
        "question",
        {
            "question_id": "q1",
            "question": "Why?",
            "nuggets": [{"text": "a", "importance": "vital"}, {"text": "b", "importance": "okay"}],
        },
    )
    assert read(lines(tmp_path / "nuggets.jsonl", create), "nuggetizer") == [question]
    assert read(lines(tmp_path / "assigned.jsonl", assign), "nuggetizer") == [
        question,
        ("answer", {"question_id": "q1", "system": "run-1", "answer": "a."}),
    ]


def test_nuggetizer_candidates(tmp_path: Path) -> None:
    record = {
        "query": {"qid": "q1", "text": "Why?"},
        "candidates": [{"docid": "d1", "score": 1.0, "doc": {"segment": "It is thus."}}],
    }
    assert read(lines(tmp_path / "create.jsonl", record), "nuggetizer") == [
        ("question", {"question_id": "q1", "question": "Why?"}),
        ("document", {"id": "d1", "text": "It is thus."}),
    ]


def test_open_rag_eval_gathers_the_passages_of_a_query(tmp_path: Path) -> None:
    (tmp_path / "vectara.csv").write_text(
        "query_id,query,query_run,passage_id,passage,generated_answer\n"
        "q1,Why?,1,[1],First.,Thus [1][2].\n"
        "q1,Why?,1,[2],Second.,\n"
        "q1,Why?,2,[1],First.,So [1].\n"
        "q2,How?,1,[1],Third.,\n"
    )
    rows = read(tmp_path / "vectara.csv", "open-rag-eval")
    assert [kind for kind, _ in rows] == ["question", "answer"] * 3
    assert rows[1][1] == {
        "question_id": "q1",
        "system": "vectara",
        "answer": "Thus [1][2].",
        "references": [{"marker": "1", "content": "First."}, {"marker": "2", "content": "Second."}],
    }
    told = [(row["question_id"], row["system"], row["answer"]) for kind, row in rows if kind == "answer"]
    assert told == [
        ("q1", "vectara", "Thus [1][2]."),
        ("q1", "vectara run 2", "So [1]."),
        ("q2", "vectara", ""),
    ]


PUBMEDQA = {
    "as sections": {
        "pmid": "10",
        "question": "Why?",
        "sections": [{"label": "METHODS", "text": "We looked."}],
        "conclusion": "Thus.",
        "decision": "yes",
    },
    "as on the hub": {
        "pubid": 10,
        "question": "Why?",
        "context": {"contexts": ["We looked."], "labels": ["METHODS"], "meshes": []},
        "long_answer": "Thus.",
        "final_decision": "yes",
    },
    "as published": {
        "10": {"QUESTION": "Why?", "CONTEXTS": ["We looked."], "LABELS": ["METHODS"], "LONG_ANSWER": "Thus."}
    },
}  # fmt: skip


@pytest.mark.parametrize("record", PUBMEDQA.values(), ids=PUBMEDQA.keys())
def test_pubmedqa(tmp_path: Path, record: object) -> None:
    path = tmp_path / "pqa.json"
    path.write_text(json.dumps(record))
    assert read(path, "PubMedQA") == [
        ("question", {"question_id": "10", "question": "Why?", "reference_answer": "Thus."}),
        (
            "document",
            {"id": "abstract-10", "pmid": "10", "sections": [{"label": "METHODS", "text": "We looked."}]},
        ),
        (
            "answer",
            {
                "question_id": "10",
                "system": "conclusion",
                "sentences": [{"text": "Thus.", "citations": ["PMID:10"]}],
            },
        ),
    ]


def counted(path: Path) -> tuple[str, Counter[str]]:
    data = read_data(path)
    counts: Counter[str] = Counter()
    for row in data.rows:
        counts[f"bad {row.kind}" if isinstance(row, BadRow) else row.kind] += 1
    return data.shape, counts


@pytest.mark.shared_data
def test_kqa_counts_in_are_counts_out_and_quarantine(shared_data: Path) -> None:
    shape, counts = counted(shared_data / "kqa")
    assert (shape, counts) == (
        "K-QA",
        {"question": 201, "answer": 27, "human_score": 678, "bad nugget": 3},
    )
    with gzip.open(shared_data / "kqa" / "questions.jsonl.gz", "rt", encoding="utf-8") as file:
        given = sum(len(json.loads(line)["nuggets"]) for line in file)
    read_in = sum(
        len(row.value["nuggets"])
        for row in read_data(shared_data / "kqa").rows
        if isinstance(row, Intake) and row.kind == "question"
    )
    assert (given, read_in) == (1589, 1586)


@pytest.mark.shared_data
@pytest.mark.parametrize(
    ("folder", "shape", "counts"),
    [
        ("medaesqa", "MedAESQA", {"question": 10, "answer": 300, "human_score": 300 * 6 + 38}),
        ("pubmedqa", "PubMedQA", {"question": 500, "document": 500, "answer": 500}),
    ],
)
def test_counts_in_are_counts_out(shared_data: Path, folder: str, shape: str, counts: dict[str, int]) -> None:
    assert counted(shared_data / folder) == (shape, counts)


def test_healthbench(tmp_path: Path) -> None:
    rubrics = [{"criterion": "Says rest", "points": 5, "tags": ["axis:accuracy"]}]
    own = {"prompt": [{"role": "user", "content": "Why?"}], "rubrics": rubrics, "example_tags": ["theme:x"]}
    records = [
        {"prompt_id": "1", **own, "completion": "Thus."},
        {"prompt_id": "2", **own, "answers": {"a": "So.", "b": "Rest."}},
        {"prompt_id": "3", **own, "ideal_completions_data": {"ideal_completion": "Rest."}},
    ]
    criteria = [{"text": "Says rest", "points": 5, "tags": ["axis:accuracy", "theme:x"]}]
    question = {"question": "Why?", "criteria": criteria, "category": "theme:x"}
    expected = [
        ("question", {"question_id": "1", **question}),
        ("answer", {"question_id": "1", "system": "inputs", "answer": "Thus."}),
        ("question", {"question_id": "2", **question}),
        ("answer", {"question_id": "2", "system": "a", "answer": "So."}),
        ("answer", {"question_id": "2", "system": "b", "answer": "Rest."}),
        ("question", {"question_id": "3", **question, "reference_answer": "Rest."}),
    ]
    write_rows(tmp_path / "inputs.jsonl", records)
    assert read(tmp_path / "inputs.jsonl", "HealthBench") == expected
