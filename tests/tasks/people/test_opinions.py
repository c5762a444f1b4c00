"""`agree` is told at once where nobody has scored anything."""

import json
from pathlib import Path

import pytest

from medassay.models.intake import IntakeError
from medassay.sql.warehouse import close_warehouse, warehouse_at
from medassay.tasks.people.opinions import refuse_silence
from medassay.tasks.people.score_import import take_scores
from medassay.tasks.run import BadData
from tests.rows import write_rows, write_tables

ANSWER = {"question_id": "q", "system": "s", "answer": "Aspirin lowers fever."}
SCORE = {
    "question_id": "q",
    "system": "s",
    "annotator": "ada",
    "metric": "fluency",
    "role": "test",
    "score": 4.0,
}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_tables(
        tmp_path / "ward", questions=[{"question_id": "q", "question": "Why?"}], answers=[ANSWER]
    )


def test_where_nobody_has_scored_anything_there_is_nothing_to_agree_with(tmp_path: Path, data: Path) -> None:
    with pytest.raises(BadData) as said:
        refuse_silence(tmp_path / "home", str(data), None)
    assert str(said.value) == (
        f"{data}: nobody has scored these answers, so there is nothing to agree with; lay human_scores.* or"
        " rationales.* beside them, or evaluate them, then `medassay annotate export` and `import` (data set 'ward')"
    )
    assert not (tmp_path / "home").exists()


def test_mediqas_scores_lead_to_the_command_that_reads_them(tmp_path: Path) -> None:
    file = write_rows(tmp_path / "ranked.jsonl", [ANSWER | {"question": "Why?", "score": 4}])
    with pytest.raises(BadData, match=f"`medassay judge-data mediqa {file} --judge SPEC`$"):
        refuse_silence(tmp_path / "home", str(file), None)


def test_scores_that_a_sheet_brought_are_enough_for_their_own_data_set(home: Path, data: Path) -> None:
    take_scores(warehouse_at(home), "ward", [SCORE], "sheet")
    close_warehouse(home)
    refuse_silence(home, str(data), None)
    with pytest.raises(BadData, match="data set 'other'"):
        refuse_silence(home, str(data), "other")


def test_scores_that_all_break_a_rule_are_none(tmp_path: Path, data: Path) -> None:
    bare = {name: value for name, value in SCORE.items() if name != "role"}
    rows = [bare, {**bare, "annotator": "bo"}, {**SCORE, "score": "good"}]
    (data / "human_scores.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows) + "{oops\n")
    with pytest.raises(BadData) as said:
        refuse_silence(tmp_path / "home", str(data), None)
    assert str(said.value) == (
        f"{data}: what people said of these answers breaks a rule in each of its 4 rows, so there is nothing to agree"
        " with; 2 rows: role is neither tune nor test; give every row a role: tune where it may fit something, test"
        " where it may not; never both; 1 rows: the line is not valid JSON; mend the line; one JSON object a line;"
        " 1 rows: neither a score nor a label; give score as a number, or label as text"
    )
    write_tables(data, human_scores=[*rows, SCORE])
    refuse_silence(tmp_path / "home", str(data), None)


def test_a_table_of_scores_without_a_role_is_refused_with_what_to_add(tmp_path: Path, data: Path) -> None:
    (data / "human_scores.csv").write_text("question_id,system,annotator,metric,score\nq,s,ada,fluency,4\n")
    with pytest.raises(IntakeError, match="no column role; .*; give every row a role: tune where it may fit"):
        refuse_silence(tmp_path / "home", str(data), None)


def test_labels_of_nuggets_in_words_that_are_not_known_are_none(tmp_path: Path, data: Path) -> None:
    label = {name: value for name, value in SCORE.items() if name != "score"} | {
        "metric": "nugget_label", "target": "nugget", "item": "It helps.",
    }  # fmt: skip
    write_tables(data, human_scores=[label | {"label": "green"}, label | {"score": 3, "annotator": "bo"}])
    with pytest.raises(BadData) as said:
        refuse_silence(tmp_path / "home", str(data), None)
    assert str(said.value).endswith(
        "2 rows: the label of a nugget is no known word; write entailed (covered, supported, yes), partial, neutral"
        " (missing, not mentioned), not entailed (not covered, no), contradicted (refuted, opposed, wrong)"
    )
    for known in ({"label": "Not-Mentioned"}, {"score": 1}, {"score": "0"}, {"label": True}):
        write_tables(data, human_scores=[label | known])
        refuse_silence(tmp_path / "home", str(data), None)
