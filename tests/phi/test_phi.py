import pytest

from medassay.models.judges.judgement import JudgeInput
from medassay.models.phi.finding import Found, find_phi
from medassay.models.phi.guard import PhiBlocked, guard
from medassay.models.phi.placeholders import restored
from medassay.models.records import Reference

NOTE = (
    "Mrs. Anna Example, born 03/04/1961, MRN: 00123456, lives at 12 Sample Street, Springfield, IL 62704. "
    "Phone (555) 010-9999, mail anna@example.org, insurance no. AB 123 456 789."
)


def test_every_kind_is_found_in_a_usual_note() -> None:
    assert [(one.kind, one.text) for one in find_phi(NOTE)] == [
        ("name", "Anna Example"),
        ("date", "03/04/1961"),
        ("record number", "00123456"),
        ("address", "12 Sample Street, Springfield, IL 62704"),
        ("phone", "(555) 010-9999"),
        ("email", "anna@example.org"),
        ("insurance number", "AB 123 456 789"),
    ]


@pytest.mark.parametrize(
    ("text", "kind", "found"),
    [
        ("My name is Ada Example and I cough.", "name", "Ada Example"),
        ("Herr Muster kommt morgen.", "name", "Muster"),
        ("Ada Example, born 1961, coughs.", "name", "Ada Example"),
        ("Max van der Muster, 71, coughs.", "name", "Max van der Muster"),
        ("Eva Muster, 45 Jahre, hustet.", "name", "Eva Muster"),
        ("Seen on March 3rd, 2024.", "date", "March 3rd, 2024"),
        ("Seen on 2024-03-03.", "date", "2024-03-03"),
        ("SSN 078-05-1120", "insurance number", "078-05-1120"),
        ("Call +49 30 901820 123", "phone", "+49 30 901820 123"),
        ("Patient ID 4711-22", "record number", "4711-22"),
        ("Musterstraße 12a", "address", "Musterstraße 12a"),
    ],
)
def test_the_usual_ways_of_writing_are_found(text: str, kind: str, found: str) -> None:
    start = text.index(found)
    assert find_phi(text) == [Found(kind, start, start + len(found), found)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        "Metformin 500 mg twice a day, up to 2000 mg; eGFR 30-45 mL/min/1.73 m2.",
        "Blood pressure was 120/80, later 140/90 mmHg; ratio 1:1000.",
        "A trial of 4444 patients (NCT01234567, PMID 12345678, doi:10.1000/xyz123) ended in 2019.",
        "Parkinson and Crohn disease; the Glasgow scale; case 2 of 3; the patient number rose.",
        "Hepatitis B, born to mothers; says the Heart Association (10); AUC Most (97, 3); Type Two Diabetes, 45 mg; the Mayo Clinic, 2021, says; Table 2, aged 40.",
        "In May 2020 the risk was 1.5 (95% CI 1.2-1.9), p = 0.001.",
    ],
)
def test_medicine_names_nobody(text: str) -> None:
    assert find_phi(text) == []


def judge_input() -> JudgeInput:
    return JudgeInput(
        "What now?", "Mrs. Example should rest.", (), False, profile="Mrs. Example, SSN 078-05-1120"
    )


def test_blocking_says_what_kind_and_never_what() -> None:
    with pytest.raises(PhiBlocked) as caught:
        guard(judge_input(), "block")
    assert str(caught.value).startswith("found 1 × insurance number, 2 × name; nothing was sent.")
    assert "Example" not in str(caught.value)


def test_redaction_can_be_undone_here_and_tells_people_apart() -> None:
    guarded = guard(judge_input(), "redact")
    assert guarded.judge_input.profile == "Mrs. [name 1], SSN [insurance number 1]"
    assert guarded.judge_input.answer == "Mrs. [name 1] should rest."
    assert restored("[name 1] is told to rest [1].", guarded.meaning) == "Example is told to rest [1]."
    assert guarded.n_found == {"name": 2, "insurance number": 1}


def test_allowing_changes_nothing_and_clean_texts_pass() -> None:
    assert guard(judge_input(), "allow").judge_input == judge_input()
    clean = JudgeInput("Q?", "Rest.", (), False)
    assert guard(clean, "block").judge_input == clean


def test_the_references_and_the_guidance_are_looked_at_too() -> None:
    shown = JudgeInput(
        "Q?",
        "Rest.",
        (
            Reference(title="Trial of 2019-03-03", content="Enrolled until 2020-05-01."),
            Reference(content="Letter of Dr. Sample, 2021-04-01"),
        ),
        True,
        guidance="Call anna@example.org.",
    )
    guarded = guard(shown, "redact")
    assert guarded.n_found == {"email": 1, "name": 1, "date": 1}
    assert guarded.judge_input.guidance == "Call [email 1]."
    assert [reference.content for reference in guarded.judge_input.references] == [
        "Enrolled until 2020-05-01.",
        "Letter of Dr. [name 1], [date 1]",
    ]
    with pytest.raises(PhiBlocked, match="^found 1 × date, 1 × email, 1 × name; nothing was sent"):
        guard(shown, "block")
