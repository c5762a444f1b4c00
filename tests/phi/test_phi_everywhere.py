"""What one text gives away is kept back in all of them, and comes back to the letter."""

import json
import time
from typing import Literal
from unicodedata import normalize

import pytest

from medassay.models.chat.conversation import Message, Request
from medassay.models.judges.judgement import JudgeInput
from medassay.models.phi.finding import find_phi
from medassay.models.phi.guard import Policy, count_phi, guard, guard_request, guard_texts, known_from
from medassay.models.phi.placeholders import restored
from medassay.models.records import Reference

OWN = {
    "profile": "Name: John Smith, MRN 00482913, tel. 0301 234567",
    "messages": "My name is John Smith. John Smith lives alone.\nBest regards, John",
    "answer": "Dear John, JOHN SMITH (00482913) should rest. Smith may call 0301234567. Smith's disease is another.",
}


def test_a_name_that_one_text_gives_away_is_kept_back_in_all() -> None:
    counts, clean, meaning = guard_texts(OWN, "redact")
    assert clean == {
        "profile": "Name: [name 1], MRN [record number 1], tel. [phone 1]",
        "messages": "My name is [name 1]. [name 1] lives alone.\nBest regards, [name 1b]",
        "answer": "Dear [name 1b], [name 1c] ([record number 1]) should rest. [name 1d] may call [phone 1b]. "
        "Smith's disease is another.",
    }
    assert counts == {"name": 7, "record number": 2, "phone": 2}
    assert {name: restored(text, meaning) for name, text in clean.items()} == OWN


@pytest.mark.parametrize(
    ("own", "answer"),
    [
        ("Patient: Jürgen Bäcker, MRN 1234567", "Herr Bäcker (1234567) soll ruhen."),
        ("Mrs. Müller was born on 12\u201103\u20111961.", "Rest, Mrs.\u202fMüller."),
        ("My name is José García.", "José has a cold."),
        ("Mrs. Smi\u00adth, tel. +49\u202f711\u202f1234567", "Mrs. Smith may call +49 711 1234567."),
    ],
)
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_accents_spaces_and_hyphens_of_all_kinds_hide_nobody(
    own: str, answer: str, form: Literal["NFC", "NFD"]
) -> None:
    texts = {"question": normalize("NFD", own), "answer": normalize(form, answer)}
    _, clean, meaning = guard_texts(texts, "redact")
    left = " ".join(clean.values())
    assert not any(
        word in normalize("NFC", left)
        for word in ("cker", "ller", "Jos", "arc", "mith", "th,", "123", "1961")
    )
    assert not any(0x300 <= ord(sign) <= 0x36F for sign in left)
    assert {name: restored(text, meaning) for name, text in clean.items()} == texts


def test_a_text_that_holds_a_placeholder_of_its_own_comes_back_as_it_was() -> None:
    texts = {"answer": "[name 1] is a form's field; Mrs Example is not."}
    _, clean, meaning = guard_texts(texts, "redact")
    assert clean == {"answer": "[name 1] is a form's field; Mrs [name 2] is not."}
    assert restored(clean["answer"], meaning) == texts["answer"]


def test_ordinary_words_in_a_name_stay_where_they_are_no_name() -> None:
    texts = {
        "messages": "Mr White",
        "profile": "Mr Will White",
        "answer": "White bread will do. Will it help? Will White may eat it.",
    }
    assert (
        guard_texts(texts, "redact")[1]["answer"]
        == "White bread will do. Will it help? [name 1b] may eat it."
    )


def test_the_patients_name_in_a_source_makes_its_dates_count() -> None:
    letter = Reference(title="Letter on Smith", content="Seen on 2021-04-01.")
    shown = JudgeInput("Q?", "Rest.", (letter,), True, profile="Mr John Smith")
    assert guard(shown, "redact").n_found == {"name": 2, "date": 1}


@pytest.mark.parametrize(
    "text",
    [
        "Last reviewed: 12 March 2024",
        "The FDA approved it for adults on June 4, 2021.",
        "Accessed 2024-05-12.",
        "Medically reviewed by Dr. Jane Example on 3 May 2022",
        "Patients were enrolled from July 1, 2005, to June 30, 2006.",
    ],
)
def test_dates_of_publications_count_only_in_what_the_patient_wrote(text: str) -> None:
    assert count_phi({"answer": text}) == {}
    assert count_phi({"profile": text})["date"] >= 1


@pytest.mark.parametrize(
    "text",
    [
        "You were admitted on 12 March 2024.",
        "Your results of 3 May 2022 were updated.",
        "A patient who was 54 on 2 May 2019",
    ],
)
def test_dates_of_a_patient_count_in_an_answer(text: str) -> None:
    assert count_phi({"answer": text}) == {"date": 1}


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        # Who is meant by a part of a name is known only where one person has it.
        (
            "Mr. John Smith and Mrs. Anna Smith. Smith rests.",
            "Mr. [name 1] and Mrs. [name 2]. [name 3] rests.",
        ),
        ("Mrs. Okonkwo. My name is Gladys Okonkwo.", "Mrs. [name 1]. My name is [name 1b]."),
        ("Patient: Garcia, Maria. Maria Garcia rests.", "Patient: [name 1]. [name 1b] rests."),
        (
            "[name 1b] is a field. Mrs. Anna Lee, Mrs. Lee.",
            "[name 1b] is a field. Mrs. [name 2], Mrs. [name 2b].",
        ),
    ],
)
def test_a_person_has_one_number_however_they_are_named(text: str, clean: str) -> None:
    _, texts, meaning = guard_texts({"messages": text}, "redact")
    assert texts["messages"] == clean
    assert restored(clean, meaning) == text


def test_what_is_known_from_texts_that_stay_is_found_in_a_sentence_alone() -> None:
    known = known_from([("profile", "Mrs. Gladys Okonkwo, MRN 00482913, born 03/04/1961")])
    sentence = "Okonkwo (0048 2913) may stop on 03/04/1961, says Gladys."
    asked = Request("k", (Message("user", sentence),), json.loads)
    assert guard_request(asked, "redact").n_found == {"date": 1}
    found = guard_request(asked, "redact", known)
    assert (
        found.request.messages[0].content
        == "[name 1] ([record number 1]) may stop on [date 1], says [name 2]."
    )


def test_the_name_of_a_system_may_have_a_slash() -> None:
    assert count_phi({"answer of org/model": "You were admitted on 12 March 2024."}) == {"date": 1}


def request(passage: str, claim: str) -> Request[object]:
    material = json.dumps({"passage": passage, "claim": claim}, ensure_ascii=False)
    return Request("k", (Message("system", "Check."), Message("user", material)), json.loads)


@pytest.mark.parametrize("policy", ["block", "redact"])
def test_dates_of_a_source_count_in_a_request_as_they_do_before_the_run(policy: Policy) -> None:
    asked = request("BMJ 2020;369:m1328 (7 April 2020). Metformin helps.", "Metformin helps.")
    assert guard_request(asked, policy).n_found == {}


def test_texts_in_a_request_are_guarded_one_by_one_and_its_reply_is_restored() -> None:
    asked = request("Seen 7 April 2020.", "Thanks,\nSarah Miller. “Admitted” 12/03/2021, she is Sarah.")
    found = guard_request(asked, "redact")
    sent = found.request
    assert json.loads(sent.messages[1].content) == {
        "passage": "Seen 7 April 2020.",
        "claim": "Thanks,\n[name 1]. “Admitted” [date 1], she is [name 1b].",
    }
    assert sent.messages[0].content == "Check."
    assert found.n_found == {"name": 2, "date": 1}
    assert sent.read('{"said": "[name 1], [date 1]"}') == {"said": "Sarah Miller, 12/03/2021"}


@pytest.mark.parametrize(
    "piece",
    [
        "1",
        "123 ",
        " ",
        "Mr ",
        "my name is ",
    ],
)
def test_time_grows_with_the_length_and_no_faster(piece: str) -> None:
    started = time.process_time()
    find_phi(piece * (12_000 // len(piece)), own=True, published=True)
    assert time.process_time() - started < 3
