"""Experts' checks, what they and the classifier keep, and how good the classifier is on questions it never saw."""

import csv
import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from medassay.flows.commands.judge_data import judge_data
from medassay.models.embedding import Embedder, load_embedder
from medassay.models.judge_training.experts import agreement, checked_shares, chosen, item_of, sheet_rows
from medassay.models.judge_training.folder import JudgeData, read_data_folder, write_data
from medassay.models.judge_training.quality import Classifier, train
from medassay.models.judge_training.records import CRITERIA, EvaluationCase, ExpertLabel, case_key, read_cases
from medassay.models.judge_training.splitting import split
from medassay.models.usage import UsageError
from medassay.sql.warehouse import close_warehouse, warehouse_at
from tests.rows import write_rows

GOOD = (
    "Step 1: The dose and the risk of bleeding decide.\nStep 2: Doctor 1 warns of both; Doctor 2 leaves the risk out.",
)
BAD = (
    "Step 1: blah blah banana weather football.\nStep 2: the doctors doctors doctors are are nice colours.",
)
DRUGS = (
    "aspirin",
    "warfarin",
    "ibuprofen",
    "metformin",
    "insulin",
    "heparin",
    "digoxin",
    "lithium",
    "codeine",
    "statins",
)


def case(number: int, *, good: bool = True, strength: str = "strong", order: int = 0) -> EvaluationCase:
    question = f"Is {DRUGS[number % len(DRUGS)]} safe at {number} years of age?"
    responses = (f"It is safe, watch the bleeding ({number}).", f"It is safe ({number}).")[
        :: -1 if order else 1
    ]
    rng = random.Random(number * 2 + order)
    words = list((GOOD if good else BAD)[0].split(" "))
    evaluation = " ".join(word for word in words if word.startswith("Step") or rng.random() > 0.1)
    return EvaluationCase(
        case_id=case_key(question, responses, ("a", "b"), strength, f"q{number}"),
        question_id=f"q{number}",
        question=question,
        responses=responses,
        systems=("a", "b"),
        reference="It depends.",
        evaluation=f"Analyze:\n{evaluation}\nScore:\nDoctor 1: 4 points.\nDoctor 2: 2 points.",
        scores=(4, 2),
        gold=None,
        evaluator=strength,
        strength=strength,  # type: ignore[arg-type]
    )


def checked(one: EvaluationCase, *, passes: bool, expert: str = "ann") -> EvaluationCase:
    label = ExpertLabel(expert, passes, True, True)
    return replace(one, expert_labels=(*one.expert_labels, label))


def labelled(n: int, seed: int, noise: float = 0.0) -> list[EvaluationCase]:
    """Return checked cases, two orders a question, a third of them bad; `noise` of the checks are by lot."""
    rng, cases = random.Random(seed), []
    for number in range(n):
        good = rng.random() > 0.35
        for order in (0, 1):
            said = rng.random() > 0.5 if rng.random() < noise else good
            cases.append(checked(case(number, good=good, order=order), passes=said))
    return cases


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return load_embedder("embedded")


@pytest.fixture(scope="module")
def trained(embedder: Embedder) -> tuple[Classifier, dict[str, Any]]:
    return train(labelled(80, seed=1), embedder, seed=0)


def test_the_classifier_learns_what_can_be_learnt_and_is_measured_on_other_questions(
    trained: tuple[Classifier, dict[str, Any]],
) -> None:
    classifier, card = trained
    held = card["held_out"]
    assert held["accuracy"]["value"] >= 0.95 > held["accuracy_of_always_keeping"]
    assert held["accuracy"]["low"] < held["accuracy"]["value"] and held["n_cases"] == 2 * held["n_questions"]
    assert sum(held["confusion"].values()) == held["n_cases"]
    assert held["n_questions"] + card["n_questions_learnt_from"] == 80
    assert len(card["grid"]["tried"]) == 20
    new = [case(200), case(201, good=False)]
    good, bad = classifier.quality(new)
    assert good > card["threshold"] > bad


def test_too_few_checks_are_refused(embedder: Embedder) -> None:
    with pytest.raises(
        UsageError, match="only 0 questions have a checked case that fails, and 10 are needed"
    ):
        train([checked(case(n), passes=True) for n in range(40)], embedder)


def test_r_and_s_share_no_question_and_tests_are_never_trained_on() -> None:
    strong = [replace(case(n), quality=q) for n, q in ((1, 0.9), (2, 0.2), (3, 0.9))]
    weak = [replace(case(n, strength="weak"), quality=q) for n, q in ((1, 0.9), (2, 0.9), (4, 0.1), (5, 0.9))]
    test = [replace(case(5), quality=0.0)]
    # Ids of their own: a question is the same by its words.
    weak = [replace(one, question_id=f"w{one.question_id}") for one in weak]
    parts = (
        {one.question_id: "strong" for one in strong}
        | {one.question_id: "weak" for one in weak}
        | {"q5": "test"}
    )
    found = split([*strong, *weak, *test], parts, threshold=0.5)  # type: ignore[arg-type]
    names = {name: [one.question_id for one in cases] for name, cases in found.files.items()}
    assert names == {
        "train_strong": ["q1", "q2", "q3"],
        "train_weak": ["wq1", "wq2", "wq4"],
        "test": ["q5"],
        "train_strong_kept": ["q1", "q3"],
        "train_weak_kept": ["wq2"],
    }
    assert [(drop.stage, drop.rule, drop.question_id) for drop in found.drops] == [
        ("split", "question_in_test", "wq5"),
        ("quality", "below_threshold", "q2"),
        ("split", "question_in_strong", "wq1"),
        ("quality", "below_threshold", "wq4"),
    ]


def test_what_experts_refuse_is_dropped_and_what_they_pass_is_kept() -> None:
    twice = checked(checked(case(1), passes=True), passes=False, expert="bob")
    passed = replace(checked(case(2), passes=True), quality=0.0)
    abstained = replace(case(3), scores=None, evaluation="", status="abstained", reason="asks")
    found = split([twice, passed, abstained], {f"q{n}": "strong" for n in (1, 2, 3)}, threshold=0.5)
    assert [one.question_id for one in found.files["train_strong_kept"]] == ["q2"]
    (drop,) = found.drops
    assert (drop.stage, drop.rule, drop.observed) == ("experts", "fails_medical_knowledge", "by bob")


def test_shares_and_agreement_of_experts() -> None:
    cases = [checked(case(n), passes=n % 4 != 0) for n in range(8)]
    cases = [checked(one, passes=n not in (0, 1), expert="bob") for n, one in enumerate(cases)] + [case(9)]
    shares = checked_shares(cases)
    assert (shares["n_checked"], shares["n_checked_twice"]) == (8, 8)
    together = {name: (one["value"], one["n"]) for name, one in shares["together"].items()}
    assert together == {
        "medical_knowledge": (0.625, 8),
        "no_misattribution": (1.0, 8),
        "fluency": (1.0, 8),
        "all_three": (0.625, 8),
    }
    assert shares["by_expert"]["bob"]["all_three"]["value"] == 0.75
    first, second, _ = agreement(cases)
    assert (first["criterion"], first["n"], first["agree"]) == ("medical_knowledge", 8, 0.75)
    assert first["kappa"] == pytest.approx(1 / 3)
    assert (second["kappa"], second["reason"]) == (None, "both give every item the same one label")


def test_every_expert_gets_the_same_cases_one_a_question_first() -> None:
    cases = [case(n, order=order) for n in range(5) for order in (0, 1)]
    drawn = chosen(cases, 7, seed=3)
    assert len({one.question_id for one in drawn[:5]}) == 5
    assert chosen(cases[::-1], 7, seed=3) == drawn
    row = sheet_rows([checked(cases[0], passes=False)], "ann")[0]
    assert (row["item"], row["doctor_2"], row["medical_knowledge"], row["fluency"]) == (
        item_of(cases[0]),
        cases[0].responses[1],
        "no",
        "yes",
    )
    assert "medical_knowledge" not in sheet_rows([checked(cases[0], passes=False)], "bob")[0]


def run(home: Path, *arguments: str | Path) -> Result:
    close_warehouse(home)
    return CliRunner(env={"MEDASSAY_HOME": str(home)}).invoke(judge_data, [str(a) for a in arguments])


def filled(sheet: Path, **by_question: str) -> None:
    """Fill a sheet in: yes everywhere, but for the medical knowledge of the questions named."""
    with sheet.open(encoding="utf-8-sig", newline="") as text:
        rows = list(csv.DictReader(text))
    for row in rows:
        said = next((v for part, v in by_question.items() if f" {part} " in f" {row['question']} "), "yes")
        row |= {**dict.fromkeys(CRITERIA, "yes"), "medical_knowledge": said}
    with sheet.open("w", encoding="utf-8", newline="") as text:
        writer = csv.DictWriter(text, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    cases = [case(n, good=n % 3 != 0, strength="strong" if n % 2 else "weak") for n in range(60)]
    cases[1] = replace(
        cases[1], evaluation=cases[1].evaluation.replace("Step 1:", "Step 1: =cmd|' /C calc'!A0")
    )
    cases[2] = replace(cases[2], responses=('=HYPERLINK("http://x")', cases[2].responses[1]))
    parts = {one.question_id: one.strength for one in cases}
    write_data(tmp_path / "data", JudgeData(cases, parts, [], {"data": "made"}))  # type: ignore[arg-type]
    return tmp_path / "data"


def test_sheets_go_out_guarded_and_come_back_and_failing_cases_leave_the_splits(
    home: Path, folder: Path
) -> None:
    sheet = folder.with_name("ann.csv")
    out = run(home, "export", sheet, "--data", folder, "--by", "ann")
    assert (out.exit_code, out.stdout.splitlines()[0]) == (0, f"60 of 60 scored cases in {sheet}")
    text = sheet.read_text("utf-8-sig")
    assert "'=HYPERLINK" in text and "\n=HYPERLINK" not in text and ",=HYPERLINK" not in text
    filled(sheet, metformin="no")
    taken = run(home, "import", sheet, "--data", folder, "--by", "ann")
    lines = taken.stdout.splitlines()
    assert (taken.exit_code, lines[0]) == (
        0,
        "ann: 180 checks new, 0 changed, 0 as they were; 60 of 60 cases complete",
    )
    assert (
        "passes    together: medical knowledge 90.0 %, no misattribution 100.0 %, fluency 100.0 %, all three 90.0 %"
        in lines
    )
    assert "6 cases dropped by experts" in taken.stdout
    kept = [
        one
        for name in ("train_strong", "train_weak")
        for one in read_cases(folder / "splits" / f"{name}.jsonl")
    ]
    assert (len(kept), any("metformin" in one.question for one in kept)) == (54, False)
    drops = [drop for drop in read_data_folder(folder).drops if drop.stage == "experts"]
    assert {(drop.rule, drop.observed) for drop in drops} == {("fails_medical_knowledge", "by ann")}
    # A second expert differs; the first changes his mind, and what he said before is kept.
    second = folder.with_name("bob.csv")
    run(home, "export", second, "--data", folder, "--by", "bob")
    filled(second, metformin="no", insulin="No")
    agreed = run(home, "import", second, "--data", folder, "--by", "bob")
    assert "agreement ann and bob, medical knowledge: 90.0 % of 60, κ 0.62" in agreed.stdout
    filled(sheet, metformin="yes")
    changed = run(home, "import", sheet, "--data", folder, "--by", "ann")
    assert changed.stdout.startswith("ann: 0 checks new, 6 changed, 174 as they were")
    record = warehouse_at(home).rows(
        "select version, count(*) as n from judge_case_check_record where expert = 'ann' group by all order by all"
    )
    assert record == [{"version": 1, "n": 180}, {"version": 2, "n": 6}]


def test_sheets_that_cannot_be_taken_in(home: Path, folder: Path) -> None:
    sheet = folder.with_name("ann.csv")
    run(home, "export", sheet, "--data", folder, "--by", "ann", "--most", "3")
    blank = run(home, "import", sheet, "--data", folder, "--by", "ann")
    assert (blank.exit_code, blank.stdout, blank.stderr) == (
        2,
        "",
        f"{sheet}: none of 3 cases is checked yet; write yes or no under medical_knowledge, no_misattribution, fluency,"
        " then import it again\n",
    )
    filled(sheet)
    text = sheet.read_text("utf-8")
    sheet.write_text(text.replace("yes,yes,yes", "yes,,yes", 1), "utf-8")
    part = run(home, "import", sheet, "--data", folder, "--by", "ann").stdout.splitlines()
    assert part[0].endswith("2 of 3 cases complete") and part[-2:] == [
        "open      1 case with an answer missing: fill it in, and import the sheet again",
        f"next      medassay judge-data classify --data {folder}",
    ]
    sheet.write_text(text.replace("yes,yes,yes", "yes,maybe,yes", 1), "utf-8")
    bad = run(home, "import", sheet, "--data", folder, "--by", "ann")
    said = f"{sheet}: left out: line 2: no_misattribution is 'maybe'; write yes or no\n"
    assert (bad.exit_code, said in bad.stderr, "1 case with an answer missing" in bad.stdout) == (
        0,
        True,
        True,
    )
    first = text.splitlines()[1].partition(",")[0]
    sheet.write_text(text.replace(first, "c0000000000000000", 1), "utf-8")
    other = run(home, "import", sheet, "--data", folder, "--by", "ann")
    assert (other.exit_code, "item c0000000000000000 is no case of this data" in other.stderr) == (2, True)
    none = run(home, "import", sheet, "--data", folder.with_name("none"), "--by", "ann")
    assert (none.exit_code, "give a folder that `medassay judge-data build` wrote" in none.stderr) == (
        2,
        True,
    )


def test_classify_writes_quality_splits_and_card(home: Path, folder: Path) -> None:
    sheet = folder.with_name("ann.jsonl")
    early = run(home, "split", "--data", folder, "--threshold", "0.5")
    assert (early.exit_code, early.stderr) == (
        2,
        "no classifier was applied: run `medassay judge-data classify` first\n",
    )
    run(home, "export", sheet, "--data", folder, "--by", "ann", "--most", "48")
    rows = [json.loads(line) for line in sheet.read_text("utf-8").splitlines()]
    for row in rows:
        row |= dict.fromkeys(
            CRITERIA, "no" if "banana" in row["evaluation"] or "football" in row["evaluation"] else "yes"
        )
    write_rows(sheet, rows)
    assert run(home, "import", sheet, "--data", folder, "--by", "ann").exit_code == 0
    done = run(home, "classify", "--data", folder)
    assert (done.exit_code, done.stderr) == (0, ""), done.stderr
    data = read_data_folder(folder)
    assert all(one.quality is not None and 0 <= one.quality <= 1 for one in data.cases)
    held = data.card["quality"]["held_out"]
    assert held["accuracy"]["value"] >= 0.9 and f"accuracy {held['accuracy']['value']:.3f} (" in done.stdout
    strong, weak = (read_cases(folder / "splits" / f"train_{name}_kept.jsonl") for name in ("strong", "weak"))
    assert {int(one.question_id[1:]) % 3 != 0 for one in strong + weak} == {True}
    assert not {one.question_id for one in strong} & {one.question_id for one in weak}
    stricter = run(home, "split", "--data", folder, "--threshold", "1")
    assert stricter.exit_code == 0
    kept = read_cases(folder / "splits" / "train_strong_kept.jsonl")
    assert {bool(one.expert_labels) for one in kept} == {True}
