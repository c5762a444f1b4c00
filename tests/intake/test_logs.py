"""Logs that other evaluation tools wrote themselves (tests/intake/logs): every row that is read of them."""

import json
import re
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from medassay.models.intake import BadRow, Intake, IntakeError, Kind, read_data, violations

LOGS = Path(__file__).with_name("logs")
B12, WARFARIN = "Does long-term metformin lower vitamin B12?", "Does warfarin need monitoring?"
B12_GOLD, TRIAL = (
    "Metformin lowers vitamin B12.",
    "Long-term metformin lowered vitamin B12 in a randomised trial.",
)
CITED = {
    "references": [{"marker": "1", "url": "https://example.org/trial", "title": "A trial"}],
    "cited_spans": [{"start": 0, "end": 21, "citations": ["1"]}],
}


def read(path: Path) -> tuple[list[tuple[str, dict[str, Any]]], list[str]]:
    """Return a log's rows, without what only tells that a field is not read, and what a run says of it."""
    data = read_data(path)
    rows = []
    for row in data.rows:
        assert isinstance(row, Intake), row
        rows.append((row.kind, {name: value for name, value in row.value.items() if value is not True}))
    return rows, [line.removeprefix(f"{path}: ") for line in data.warnings]


def bad(path: Path) -> list[BadRow]:
    return [row for row in read_data(path).rows if isinstance(row, BadRow)]


def b12(identity: str, answer: str, **more: Any) -> list[tuple[str, dict[str, Any]]]:
    asked = {"question_id": identity, "question": B12, "reference_answer": B12_GOLD}
    said = {
        "question_id": identity,
        "system": "mockllm/model",
        "answer": answer,
        "contexts": [TRIAL],
        **CITED,
    }
    return [("question", asked | more), ("answer", said)]


def broken(identity: str, **more: Any) -> list[tuple[str, dict[str, Any]]]:
    asked = {"question_id": identity, "question": WARFARIN, "reference_answer": "Yes, by INR."}
    why = "Inspect logged an error: RuntimeError('the endpoint was not there')"
    return [
        ("question", asked | more),
        ("answer", {"question_id": identity, "system": "mockllm/model", "failed": why}),
    ]


def test_every_row_of_every_log_is_sound() -> None:
    rows: dict[Kind, list[dict[str, Any]]] = {}
    for path in (path for path in sorted(LOGS.glob("*.*")) if path.is_file() and path.suffix != ".md"):
        for row in read_data(path).rows:
            assert isinstance(row, Intake), row
            rows.setdefault(row.kind, []).append(row.value)
    assert {kind: violations(kind, found) for kind, found in rows.items()} == dict.fromkeys(rows, [])


@pytest.mark.parametrize("name", ["inspect-0.3.285.eval", "inspect-0.3.285-chunked.eval"])
def test_inspect_samples_with_epochs_attachments_and_errors(name: str) -> None:
    rows, told = read(LOGS / name)
    assert told == ["answer columns that nothing reads: scores"]
    second = {"case_id": "b12"}
    of_b12 = [row for row in rows if row[1]["question_id"].startswith("b12")]
    assert of_b12 == [
        *b12("b12", "Answer 1: it does [1]."),
        *b12("b12, repeat 2", "Answer 4: it does [1].", **second),
    ]
    of_broken = [row for row in rows if row[1]["question_id"].startswith("broken")]
    assert of_broken == [*broken("broken"), *broken("broken, repeat 2", case_id="broken")]
    (aspirin,) = [
        row["question"] for kind, row in rows if kind == "question" and row["question_id"] == "aspirin"
    ]
    patient = "The patient is seventy-one and had a transient attack in May."
    assert aspirin == f"Does aspirin prevent strokes? {patient} {patient}\n[image]"
    assert len(rows) == 12


def test_inspect_json_holds_nan_for_what_was_not_scored() -> None:
    text = (LOGS / "inspect-0.3.285.json").read_text("utf-8")
    assert "NaN" in text
    rows, told = read(LOGS / "inspect-0.3.285.json")
    assert [row for row in rows if row[1]["question_id"] == "b12"] == b12("b12", "Answer 1: it does [1].")
    assert len(rows) == 6
    assert (
        told[1] == "stands beside the rows and is not read: plan, reductions, results, stats, status, version"
    )


def test_a_damaged_sample_is_set_aside_and_the_others_are_read(tmp_path: Path) -> None:
    whole = LOGS / "inspect-0.3.285.eval"
    with zipfile.ZipFile(whole) as archive:
        member = archive.getinfo("samples/aspirin_epoch_1.json")
    body = bytearray(whole.read_bytes())
    at = member.header_offset + 30 + len(member.filename) + member.compress_size // 2
    body[at] ^= 0xFF
    path = tmp_path / "log.eval"
    path.write_bytes(body)
    (row,) = bad(path)
    assert (row.rule, row.observed.partition(":")[0], row.advice) == (
        "the sample cannot be read",
        "item 2",
        "copy the log again; the other samples are read",
    )
    assert sum(isinstance(one, Intake) for one in read_data(path).rows) == 10


def test_what_is_no_inspect_log_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    whole, version = (LOGS / "inspect-0.3.285.eval").read_bytes(), rb"PK\x01\x02(..)\x14"
    for damaged in (whole[:9000], re.sub(version, b"PK\x01\x02\\1\xff", whole, flags=re.DOTALL)):
        path.write_bytes(damaged)
        with pytest.raises(IntakeError, match="not a readable Inspect log"):
            list(read_data(path).rows)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", "{}")
    with pytest.raises(IntakeError, match="the log holds no samples; run it with log_samples on"):
        list(read_data(path).rows)


def test_promptfoo_results_with_two_prompts_repeats_and_an_error() -> None:
    rows, told = read(LOGS / "promptfoo-0.123.1.json")
    questions = {row["question_id"]: row for kind, row in rows if kind == "question"}
    assert list(questions.values()) == [
        {"question_id": "q-866b8ff9d8f7", "question": B12, "reference_answer": B12_GOLD},
        {
            "question_id": "q-866b8ff9d8f7, repeat 2", "question": B12, "reference_answer": B12_GOLD,
            "case_id": "q-866b8ff9d8f7",
        },
        {"question_id": "q-352652d6f52e", "question": WARFARIN, "reference_answer": "Yes, by INR."},
        {
            "question_id": "q-352652d6f52e, repeat 2", "question": WARFARIN, "reference_answer": "Yes, by INR.",
            "case_id": "q-352652d6f52e",
        },
    ]  # fmt: skip
    answers = [row for kind, row in rows if kind == "answer"]
    assert sorted({(row["system"], row.get("answer"), row.get("failed")) for row in answers}, key=str) == [
        ("scripted, kind", "Yes, B12 falls [1].", None),
        ("scripted, kind", None, "promptfoo logged an error: the endpoint was not there"),
        ("scripted, plain", "Yes, B12 falls [1].", None),
        ("scripted, plain", "Yes, by INR.", None),
    ]
    assert {tuple(row["contexts"]) for row in answers if "contexts" in row} == {(TRIAL,)}
    assert told == [
        "answer columns that nothing reads: gradingResult",
        "stands beside the rows and is not read: config, evalId, metadata, runtimeOptions, vars",
    ]


def test_promptfoo_results_as_lines_name_each_answer_by_its_prompt(tmp_path: Path) -> None:
    results = json.loads((LOGS / "promptfoo-0.123.1.json").read_text("utf-8"))["results"]["results"]
    path = tmp_path / "out.jsonl"
    path.write_text("".join(json.dumps(result) + "\n" for result in results))
    rows, _ = read(path)
    assert {row["system"] for kind, row in rows if kind == "answer"} == {"scripted, kind", "scripted, plain"}
    assert rows == read(LOGS / "promptfoo-0.123.1.json")[0]


def test_deepeval_test_run() -> None:
    rows, told = read(LOGS / "deepeval-4.3.1.json")
    assert rows == [
        ("question", {"question_id": "b12", "question": B12, "reference_answer": B12_GOLD}),
        (
            "answer",
            {
                "question_id": "b12",
                "system": "mock-1",
                "answer": "Yes, it does, metformin lowers vitamin B12 [1].",
                "references": [{"marker": "1", "content": TRIAL}],
                "contexts": [TRIAL],
            },
        ),
        ("question", {"question_id": "warfarin", "question": WARFARIN, "reference_answer": "Yes, by INR."}),
        ("answer", {"question_id": "warfarin", "system": "mock-1", "answer": "No."}),
    ]
    assert told == [
        "answer columns that nothing reads: context, metricsData",
        "stands beside the rows and is not read: metricsScores, runDuration, testFailed, testPassed",
    ]


def test_deepeval_conversations() -> None:
    rows, told = read(LOGS / "deepeval-4.3.1-conversations.json")
    first, last = "What can I take for my headache?", "Paracetamol is the first choice in pregnancy [1]."
    context = "Paracetamol is the analgesic of first choice in pregnancy."
    assert rows == [
        (
            "question",
            {
                "question_id": "headache",
                "question": first,
                "guidance": "Paracetamol is advised, ibuprofen is not.",
                "profile": "32 weeks pregnant.",
            },
        ),
        (
            "answer",
            {
                "question_id": "headache",
                "system": "mock-1",
                "answer": last,
                "contexts": [context],
                "turns": [
                    {"role": "user", "content": first},
                    {"role": "assistant", "content": "Are you pregnant?"},
                    {"role": "user", "content": "Yes, 32 weeks."},
                    {"role": "assistant", "content": last, "contexts": [context]},
                ],
            },
        ),
    ]
    assert told[0] == "answer columns that nothing reads: metricsData, scenario"


MARK = {"annotator": "dr-a", "metric": "correct", "label": "true", "role": "tune", "target": "answer"}
MARKS: dict[str, list[dict[str, Any]]] = {
    "mlflow-3.17.2-traces": [MARK | {"judge": "", "item": ""}],
    "mlflow-3.17.2-frame": [],
}
LM_EVAL = LOGS / "lm_eval-0.4.13"


def test_lm_eval_documents_once_with_their_repeats() -> None:
    (path,) = LM_EVAL.glob("samples_clinic_*.jsonl")
    rows, told = read(path)
    assert len(path.read_text("utf-8").splitlines()) == 4
    assert rows[:4] == [
        ("question", {"question_id": "b12", "question": B12, "reference_answer": B12_GOLD}),
        ("answer", {"question_id": "b12", "system": "i82qcls7", "answer": "lol"}),
        (
            "question",
            {"question_id": "b12, repeat 2", "question": B12, "reference_answer": B12_GOLD, "case_id": "b12"},
        ),
        ("answer", {"question_id": "b12, repeat 2", "system": "i82qcls7", "answer": "lol"}),
    ]
    assert len(rows) == 8
    assert told == ["answer columns that nothing reads: metrics"]


def test_lm_eval_choices_are_no_answers() -> None:
    rows = list(read_data(LM_EVAL).rows)
    assert [(row.rule, row.observed, row.advice) for row in rows if isinstance(row, BadRow)] == [
        (
            "lm-evaluation-harness: log-likelihoods of given choices, not answers",
            f"task choice, doc_id {number}",
            "run a task that generates (generate_until)",
        )
        for number in (0, 1)
    ]
    assert sum(isinstance(row, Intake) for row in rows) == 8


@pytest.mark.parametrize("name", ["mlflow-3.17.2-traces", "mlflow-3.17.2-frame"])
def test_mlflow_traces_with_what_was_retrieved_and_what_people_said(name: str) -> None:
    rows, told = read(LOGS / f"{name}.json")
    assert sorted(rows, key=lambda row: (row[0], row[1]['question_id'])) == sorted(
        [
            ("question", {"question_id": "q-866b8ff9d8f7", "question": B12, "reference_answer": B12_GOLD}),
            (
                "answer",
                {
                    "question_id": "q-866b8ff9d8f7",
                    "system": name,
                    "answer": "Yes, B12 falls [1].",
                    "references": [{"marker": "1", "content": TRIAL}],
                    "contexts": [TRIAL],
                },
            ),
            (
                "question",
                {"question_id": "q-352652d6f52e", "question": WARFARIN, "reference_answer": "Yes, by INR."},
            ),
            (
                "answer",
                {
                    "question_id": "q-352652d6f52e",
                    "system": name,
                    "failed": "MLflow logged an error: RuntimeError: the endpoint was not there",
                    "contexts": [TRIAL],
                },
            ),
            *(("human_score", {**mark, "question_id": identity, "system": name}) for mark in MARKS[name]
              for identity in ("q-866b8ff9d8f7", "q-352652d6f52e")),
        ],
        key=lambda row: (row[0], row[1]["question_id"]),
    )  # fmt: skip
    assert told == []


def test_settings_and_figures_beside_logs_are_named_and_passed_over(tmp_path: Path) -> None:
    shutil.copy(LOGS / "deepeval-4.3.1.json", tmp_path / "test_run_1.json")
    (tmp_path / "summary.json").write_text('{"mean": 0.5}')
    rows, told = read(tmp_path)
    assert len(rows) == 4
    assert told[0] == f"{tmp_path / 'summary.json'}: not read; no log of DeepEval, beside which it lies"


def test_rows_under_any_key_are_read(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    held = {
        "run": {"model": "m1", "cases": [{"question": "Is it?", "answer": "It is."}]},
        "stats": {"mean": 1},
    }
    path.write_text(json.dumps(held))
    rows, told = read(path)
    assert [row for _, row in rows] == [
        {"question_id": "q-b7db1e86155b", "question": "Is it?"},
        {"question_id": "q-b7db1e86155b", "system": "m1", "answer": "It is."},
    ]
    assert told[-1] == "stands beside the rows and is not read: stats"


def test_lists_that_hold_no_rows_are_named_with_their_fields(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text('{"payload": {"items": [{"foo": 1, "bar": 2}]}}')
    (row,) = bad(path)
    assert (row.rule, row.observed) == (
        "the rows stand within other fields, and none has a question or an answer",
        "payload.items: 1 object with foo, bar",
    )


def save_to_disk(folder: Path, *parts: list[dict[str, Any]]) -> Path:
    """Write a data set as `datasets.Dataset.save_to_disk` does: Arrow streams, named in state.json."""
    folder.mkdir(parents=True)
    names = [f"data-{n:05}-of-{len(parts):05}.arrow" for n in range(len(parts))]
    for name, rows in zip(names, parts, strict=True):
        table = pa.Table.from_pylist(rows)
        with pa.OSFile(str(folder / name), "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
            writer.write_table(table)
    (folder / "state.json").write_text(json.dumps({"_data_files": [{"filename": name} for name in names]}))
    (folder / "dataset_info.json").write_text("{}")
    return folder


ASKED = {"user_input": B12, "response": "It does.", "reference": B12_GOLD, "retrieved_contexts": [TRIAL]}


def test_a_saved_data_set_is_read_shard_by_shard_and_named_by_its_folder(tmp_path: Path) -> None:
    folder = save_to_disk(tmp_path / "ragas", [ASKED], [{**ASKED, "user_input": WARFARIN}])
    rows, _ = read(folder)
    assert [row["question"] for kind, row in rows if kind == "question"] == [B12, WARFARIN]
    assert {row["system"] for kind, row in rows if kind == "answer"} == {"ragas"}
    assert [row["contexts"] for kind, row in rows if kind == "answer"] == [[TRIAL], [TRIAL]]


def test_of_a_saved_data_set_with_splits_one_is_to_be_given(tmp_path: Path) -> None:
    folder = tmp_path / "splits"
    save_to_disk(folder / "train", [ASKED])
    (folder / "dataset_dict.json").write_text('{"splits": ["train", "test"]}')
    with pytest.raises(IntakeError) as error:
        list(read_data(folder).rows)
    assert (error.value.what, error.value.advice) == (
        "a data set of the splits train, test",
        f"give one of them, such as {folder / 'train'}",
    )
    (folder / "dataset_dict.json").write_text('{"splits": ["train"]}')
    assert len(read(folder)[0]) == 2


def test_a_damaged_arrow_file_is_refused(tmp_path: Path) -> None:
    path = next(save_to_disk(tmp_path / "set", [ASKED]).glob("*.arrow"))
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(IntakeError, match="not a readable Arrow file"):
        list(read_data(path.parent).rows)


def test_healthbench_professional(tmp_path: Path) -> None:
    record = {
        "id": "9f1",
        "conversation": {"messages": [{"role": "user", "content": B12}]},
        "rubric_items": [
            {"criterion_text": "Says so", "points": 7},
            {"criterion_text": "Denies", "points": -4},
        ],
        "use_case": "consult",
        "specialty": "endocrinology",
        "physician_response": "Yes; test it yearly.",
    }
    path = tmp_path / "pro.jsonl"
    path.write_text(json.dumps(record))
    assert read(path)[0] == [
        (
            "question",
            {
                "question_id": "9f1",
                "question": B12,
                "reference_answer": "Yes; test it yearly.",
                "category": "endocrinology",
                "criteria": [
                    {"text": "Says so", "points": 7, "tags": []},
                    {"text": "Denies", "points": -4, "tags": []},
                ],
            },
        )
    ]


def one(path: Path, record: Any) -> list[tuple[str, dict[str, Any]]]:
    """Return the rows of a log with one record, in the form that its tool's code writes."""
    path.write_text(json.dumps(record), encoding="utf-8")
    return read(path)[0]


def test_results_of_simple_evals_name_the_model_in_the_file(tmp_path: Path) -> None:
    example = {
        "score": 0.5,
        "rubric_items": [
            {
                "criterion": "Says so",
                "points": 7,
                "tags": ["axis:x"],
                "criteria_met": True,
                "explanation": "It does.",
            }
        ],
        "prompt": [{"role": "user", "content": B12}],
        "completion": [{"role": "assistant", "content": "It does."}],
        "prompt_id": "p1",
        "completion_id": "c1",
    }
    log = {
        "score": 0.5,
        "metrics": {},
        "htmls": [],
        "convos": [],
        "metadata": {"example_level_metadata": [example]},
    }
    assert one(tmp_path / "healthbench_gpt-4.1_20251128_101112_allresults.json", log) == [
        (
            "question",
            {
                "question_id": "p1",
                "question": B12,
                "criteria": [{"text": "Says so", "points": 7, "tags": ["axis:x"]}],
            },
        ),
        ("answer", {"question_id": "p1", "system": "gpt-4.1", "answer": "It does."}),
    ]


def test_openai_evals_output_items_as_the_package_types_them(tmp_path: Path) -> None:
    from openai.types.evals.runs import OutputItemListResponse

    item = {
        "status": "pass",
        "created_at": 1764000000,
        "object": "eval.run.output_item",
        "id": "oi1",
        "eval_id": "e1",
        "run_id": "r1",
        "datasource_item_id": 3,
        "datasource_item": {"question": WARFARIN, "ideal": "Yes, by INR."},
        "results": [{"name": "grader", "passed": True, "score": 1.0}],
        "sample": {
            "model": "gpt",
            "input": [{"role": "user", "content": WARFARIN}],
            "output": [{"role": "assistant", "content": "Yes."}],
            "error": {"code": "", "message": ""},
            "finish_reason": "stop",
            "seed": 1,
            "temperature": 0.0,
            "top_p": 1.0,
            "max_completion_tokens": 9,
            "usage": dict.fromkeys(
                ("cached_tokens", "completion_tokens", "prompt_tokens", "total_tokens"), 1
            ),
        },
    }
    OutputItemListResponse.model_validate(item)
    assert one(tmp_path / "items.json", {"object": "list", "data": [item], "has_more": False}) == [
        ("question", {"question_id": "3", "question": WARFARIN, "reference_answer": "Yes, by INR."}),
        ("answer", {"question_id": "3", "system": "gpt", "answer": "Yes."}),
    ]


ERROR = "the endpoint was not there"
SAID = {"answer": "Yes, B12 falls [1]."}
FOUND = {"contexts": [TRIAL], "references": [{"marker": "1", "content": TRIAL}]}


def asked(identity: str, question: str, gold: str, **more: Any) -> tuple[str, dict[str, Any]]:
    return "question", {"question_id": identity, "question": question, "reference_answer": gold, **more}


def answered(identity: str, system: str, **more: Any) -> tuple[str, dict[str, Any]]:
    return "answer", {"question_id": identity, "system": system, **more}


@pytest.mark.parametrize("name", ["phoenix-20.26.1.json", "phoenix-20.26.1.csv"])
def test_phoenix_experiments_with_repetitions_errors_and_contexts(name: str) -> None:
    first, second, again = "RGF0YXNldEV4YW1wbGU6MQ==", "RGF0YXNldEV4YW1wbGU6Mg==", ", repeat 2"
    why, system = f"Phoenix logged an error: RuntimeError('{ERROR}')", "phoenix-20.26.1"
    assert read(LOGS / name)[0] == [
        asked(first, B12, B12_GOLD),
        answered(first, system, **SAID, **FOUND),
        asked(first + again, B12, B12_GOLD, case_id=first),
        answered(first + again, system, **SAID, **FOUND),
        asked(second, WARFARIN, "Yes, by INR."),
        answered(second, system, failed=why),
        asked(second + again, WARFARIN, "Yes, by INR.", case_id=second),
        answered(second + again, system, failed=why),
    ]


def test_helm_suites_with_scenarios_trials_letters_and_errors(tmp_path: Path) -> None:
    for run, name in (("clinic:model=faulty", ""), ("clinic_choice:subject=a,model=steady", "-choices")):
        (tmp_path / "runs" / "s" / run).mkdir(parents=True)
        state = tmp_path / "runs" / "s" / run / "scenario_state.json"
        shutil.copy(LOGS / f"helm-0.5.16{name}.json", state)
        (state.parent / "stats.json").write_text("[]")
    rows, told = read(tmp_path)
    choice, choices = "clinic_choice:subject=a", "\nA) Metformin lowers vitamin B12.\nB) It raises it."
    assert rows[:6] == [
        asked("clinic id0", B12, B12_GOLD),
        answered("clinic id0", "scripted/faulty", **SAID),
        asked("clinic id1", WARFARIN, "Yes, by INR."),
        answered("clinic id1", "scripted/faulty", failed=f"HELM logged an error: {ERROR}"),
        asked(f"{choice} id0", B12 + choices, B12_GOLD),
        answered(f"{choice} id0", "scripted/steady", answer=B12_GOLD),
    ]
    assert [row["question_id"] for kind, row in rows[6:] if kind == "question"] == [
        f"{choice} id1", f"{choice} id0, repeat 2", f"{choice} id1, repeat 2",
    ]  # fmt: skip
    (line,) = told
    assert line.startswith("2 logs within it: runs/s/clinic:model=faulty/scenario_state.json, ")


def test_openai_evals_record_pairs_what_was_sampled_with_what_was_expected() -> None:
    system = "system: Answer briefly.\n\nuser: "
    rows, told = read(LOGS / "evals-3.0.1.jsonl")
    assert rows == [
        asked("clinic.test.1", system + WARFARIN, "Yes, by INR."),
        answered("clinic.test.1", "scripted-1", answer="Yes, by INR."),
        asked("clinic.test.0", system + B12, B12_GOLD),
        answered("clinic.test.0", "scripted-1", **SAID),
    ]
    assert told == ["answer columns that nothing reads: match"]


def test_ragas_experiments_are_systems_by_their_files(tmp_path: Path) -> None:
    both = {"marker": "2", "content": "Folate is another matter."}
    of_b12 = {**SAID, "contexts": [TRIAL, both["content"]], "references": [*FOUND["references"], both]}
    rows, told = read(LOGS / "ragas-0.4.3")
    beside = {"experiment_name", "words", "words_reason"}
    assert [(kind, {n: v for n, v in row.items() if n not in beside}) for kind, row in rows] == [
        asked("b12", B12, B12_GOLD),
        answered("b12", "bold", **of_b12),
        asked("warfarin", WARFARIN, "Yes, by INR."),
        answered("warfarin", "plain", answer="Yes, by INR.", contexts=[]),
        asked("b12", B12, B12_GOLD),
        answered("b12", "plain", **of_b12),
    ]
    assert told[0] == "2 logs within it: experiments/bold.csv, experiments/plain.csv"
    as_lines = tmp_path / "plain.jsonl"
    shutil.copy(LOGS / "ragas-0.4.3.jsonl", as_lines)
    assert [row["answer"] for kind, row in read(as_lines)[0] if kind == "answer"] == [
        "Yes, by INR.",
        SAID["answer"],
    ]
    frame = read(LOGS / "ragas-0.4.3-frame.json")[0]
    assert [row["question"] for kind, row in frame if kind == "question"] == [B12, WARFARIN]
    assert [row["answer"] for kind, row in frame if kind == "answer"] == [SAID["answer"], "Yes, by INR."]


def scored(identity: str, annotator: str, metric: str, **value: Any) -> tuple[str, dict[str, Any]]:
    more = {"question_id": identity, "system": "m1", "annotator": annotator, "metric": metric}
    return "human_score", {**more, "role": "tune", "target": "answer", "judge": "", "item": "", **value}


def test_label_studio_annotations_are_human_scores() -> None:
    rows, told = read(LOGS / "label_studio-1.23.2.json")
    assert rows == [
        asked("b12", B12, B12_GOLD),
        answered("b12", "m1", **SAID),
        scored("b12", "1", "correct", label="correct"),
        scored("b12", "1", "safety", score=5),
        scored("b12", "1", "completeness", score=0.5),
        scored("b12", "2", "correct", label="wrong"),
        scored("b12", "2", "safety", score=4),
        scored("b12", "2", "completeness", score=1),
        asked("warfarin", WARFARIN, "Yes, by INR."),
        answered("warfarin", "m1", answer="No."),
        scored("warfarin", "1", "correct", label="wrong"),
        scored("warfarin", "1", "safety", score=1),
        scored("warfarin", "1", "completeness", score=0),
        asked("aspirin", "Does aspirin prevent strokes?", "Aspirin lowers the risk of stroke."),
        answered("aspirin", "m1", answer="It does."),
    ]
    assert told == ["answer columns that nothing reads: claims, comment"]


@pytest.mark.parametrize("name", ["label_studio-1.23.2-min.json", "label_studio-1.23.2.csv"])
def test_label_studio_lines_hold_ratings_but_do_not_tell_a_choice_from_a_field(name: str) -> None:
    rows, told = read(LOGS / name)
    assert [row["question_id"] for kind, row in rows if kind == "answer"] == ["b12", "warfarin", "aspirin"]
    scores = sorted((row for row in rows if row[0] == "human_score"), key=str)
    assert scores == sorted(
        (row for row in read(LOGS / "label_studio-1.23.2.json")[0] if "score" in row[1]), key=str
    )
    assert told[0] == "answer columns that nothing reads: claims, comment, correct"


def test_damaged_records_of_these_logs_are_set_aside_and_the_others_are_read(tmp_path: Path) -> None:
    def damage(name: str, rows: Any, **instead: Any) -> None:
        rows[0 if name != "evals" else 2].update(instead)
        path = tmp_path / f"{name}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        (row,) = bad(path)
        assert row.rule.startswith("the record is not as ")
        assert sum(isinstance(one, Intake) for one in read_data(path).rows) >= 2

    damage("phoenix", json.loads((LOGS / "phoenix-20.26.1.json").read_text()), input="")
    helm = json.loads((LOGS / "helm-0.5.16.json").read_text())["request_states"]
    damage("helm", helm, result={"completions": "a text"})
    tasks = json.loads((LOGS / "label_studio-1.23.2.json").read_text())
    damage("label", tasks, annotations=["a text"])
    events = (LOGS / "evals-3.0.1.jsonl").read_text().splitlines()
    damage("evals", [json.loads(line) for line in events], data="a text")


OURS = [
    {
        "question_id": "q1",
        "question": "does long-term metformin lower  vitamin B12?",
        "nuggets": ["B12 falls."],
    },
    {"question_id": "q2", "question": WARFARIN, "nuggets": ["By INR."]},
]


def beside_ours(
    folder: Path, log: str, name: str, ours: list[dict[str, Any]] = OURS
) -> tuple[Any, list[str]]:
    """Return the rows of a log in a folder with questions of our own, and what is said of the log."""
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(LOGS / log, folder / name)
    (folder / "questions.jsonl").write_text("".join(json.dumps(one) + "\n" for one in ours))
    rows, told = read(folder)
    return rows, [line for line in told if "questions.*" in line]


@pytest.mark.parametrize(
    ("log", "name", "ids"),
    [
        ("promptfoo-0.123.1.json", "out.json", ["q1", "q1, repeat 2", "q2", "q2, repeat 2"]),
        ("phoenix-20.26.1.csv", "plain.csv", ["q1", "q1, repeat 2", "q2", "q2, repeat 2"]),
        ("helm-0.5.16-choices.json", "runs/s/a:model=b/scenario_state.json", ["q1", "q1, repeat 2", "q2", "q2, repeat 2"]),
        ("evals-3.0.1.jsonl", "record.jsonl", ["q1", "q2"]),
        ("ragas-0.4.3-frame.json", "ragas.json", ["q-866b8ff9d8f7", "q2"]),
        ("mlflow-3.17.2-traces.json", "traces.json", ["q1", "q2"]),
    ],
)  # fmt: skip
def test_a_log_is_joined_to_questions_with_nuggets_by_their_text(
    tmp_path: Path, log: str, name: str, ids: list[str]
) -> None:
    rows, told = beside_ours(tmp_path, log, name)
    assert sorted({row["question_id"] for kind, row in rows if kind == "answer"}) == ids
    repeats = [row for kind, row in rows if kind == "question" and "repeat" in row["question_id"]]
    assert [(row["case_id"], row["nuggets"]) for row in repeats] == [
        (of["question_id"], of["nuggets"]) for of in OURS[: len(repeats)]
    ]
    if "ragas" not in name:
        assert "2 questions joined to those of questions.* by the text" in told[-1]


def test_what_does_not_join_is_told(tmp_path: Path) -> None:
    twins = [
        OURS[0],
        OURS[1],
        {**OURS[1], "question_id": "q3"},
        {**OURS[1], "question_id": "aspirin", "question": "?"},
    ]
    _, told = beside_ours(tmp_path, "inspect-0.3.285.eval", "run.eval", twins)
    assert [line.partition(": ")[2] for line in told] == [
        "6 rows not read as questions, since questions.* holds them",
        "1 question joined to those of questions.* by the text",
        '1 question joined to those of questions.* by the id, though the texts differ, such as "Does aspirin'
        " prevent strokes? The patient is seventy-one and had a transient at…",
        "1 question not joined: several of questions.* have the text; the log has to hold their ids, such as"
        ' "Does warfarin need monitoring?"',
    ]
    _, told = beside_ours(tmp_path, "inspect-0.3.285.eval", "run.eval", [OURS[0]])
    assert (
        told[-1]
        .partition(": ")[2]
        .startswith(
            "2 questions not joined: none of questions.* has the id or the text, and their answers are set aside, such as"
        )
    )
