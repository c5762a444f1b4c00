"""Yes/no questions answered after reading an abstract become pairs to learn from."""

import json
from pathlib import Path

import pytest

from models.entailment.labels import LABELS
from models.entailment.training.questions import WITHOUT_CONCLUSION, claim_of, pairs_from_questions
from models.settings import UsageError


@pytest.mark.parametrize(
    ("question", "claim"),
    [
        ("Does aspirin prevent stroke?", "Aspirin prevent stroke"),
        ("Do statins, given early, lower mortality?", "Statins, given early, lower mortality"),
        ("Is D-dimer a marker of appendicitis?", "D-dimer a marker of appendicitis"),
        ("Can interventions increase screening?", "Interventions increase screening"),
        ("Double balloon enteroscopy: is it safe?", "Double balloon enteroscopy is safe"),
        ("Growth acceleration: does it appear in fetal life?", "Growth acceleration appear in fetal life"),
        ("Cigarettes and cinema: does restriction help?", "Cigarettes and cinema: Restriction help"),
        ("Gluten-free diet. Is it deficient in folate?", "Gluten-free diet is deficient in folate"),
        ("  Do 3 doses at 1.5 T suffice?  ", "3 doses at 1.5 T suffice"),
    ],
)
def test_a_question_is_said_as_a_claim(question: str, claim: str) -> None:
    assert claim_of(question) == claim


@pytest.mark.parametrize(
    "question",
    [
        "Is it possible to stop?",
        "Does rural or urban residence matter?",
        "Do doctors know what to teach?",
        "Is there an association?",
        "Which dose is best?",
        "Aripiprazole: a new risk factor?",
        "Aspirin prevents stroke.",
        "",
    ],
)
def test_what_is_no_single_claim_is_left(question: str) -> None:
    assert claim_of(question) is None


def _row(question: str, decision: str, pmid: str = "1", **more: object) -> str:
    sections = [{"label": "RESULTS", "text": "Fewer strokes."}, {"label": "METHODS", "text": ""}]
    return json.dumps(
        {
            "pmid": pmid,
            "question": question,
            "sections": sections,
            "conclusion": "It does.",
            "decision": decision,
        }
        | more
    )


def test_answers_are_labels_and_the_conclusion_is_sometimes_left_out(tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    n = 200
    rows = [_row("Does aspirin help?", ("yes", "no", "maybe")[i % 3], str(i)) for i in range(n)]
    path.write_text("\n".join([*rows, _row("Why?", "yes"), _row("Does it?", "perhaps"), "{}"]), "utf-8")
    pairs = pairs_from_questions(path, seed=3)
    whole = [p for p in pairs if p.premise == "Fewer strokes. It does."]
    assert {p.premise for p in pairs} == {"Fewer strokes. It does.", "Fewer strokes."}
    assert len(whole) == n
    assert abs(len(pairs) - len(whole) - WITHOUT_CONCLUSION * n) < 30
    expected = {0: "entailment", 1: "contradiction", 2: "neutral"}
    assert all(LABELS[p.label] == expected[int(p.doc) % 3] for p in pairs)
    assert pairs == pairs_from_questions(path, seed=3)


def test_a_file_without_such_questions_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "none.jsonl"
    path.write_text(_row("Why?", "yes"), "utf-8")
    with pytest.raises(UsageError, match=r"none\.jsonl: no yes/no question with sections"):
        pairs_from_questions(path, 1)
    with pytest.raises(UsageError, match=r"absent\.jsonl: no such file"):
        pairs_from_questions(tmp_path / "absent.jsonl", 1)
    path.write_text(_row("Does aspirin help?", "yes", sections="text", conclusion=None), "utf-8")
    with pytest.raises(UsageError, match="no yes/no question"):
        pairs_from_questions(path, 1)
