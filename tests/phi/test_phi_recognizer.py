"""What the recogniser adds to the rules in a patient's own text, and what it must not take for a person."""

import hashlib
import subprocess
import sys

import pytest

from medassay.models.phi.finding import find_phi
from medassay.models.phi.guard import guard_texts
from medassay.models.phi.recognizer import MODEL, recognized


@pytest.mark.parametrize(
    ("text", "kind", "found"),
    [
        ("Patient Giovanni Rossi, 54 y, HbA1c 9.1 %", "name", "Giovanni Rossi"),
        ("Nguyen Van Anh was seen today.", "name", "Nguyen Van Anh"),
        ("Sarah Whitfield should call back about her INR.", "name", "Sarah Whitfield"),
        ("Her husband Keith will drive her in.", "name", "Keith"),
        ("Acude con su hermana Itziar.", "name", "Itziar"),
        ("我叫李晓梅，我丈夫陈志强问是否需要加量？", "name", "陈志强"),
        ("患者氏名：佐藤 美咲 様", "name", "佐藤 美咲"),
        ("मेरे पति राजेश को बुखार है", "name", "राजेश"),
        ("안녕하세요, 저는 김민서이고 아픕니다", "name", "김민서"),
        ("Chinese ID 110105198706151239, tourist", "record number", "110105198706151239"),
        ("born 1971, passport C4821097", "record number", "C4821097"),
        ("driving licence MBEKI705124JB9IJ", "record number", "MBEKI705124JB9IJ"),
        ("personnummer 19640823-3234 takes lithium", "insurance number", "19640823-3234"),
        ("codice fiscale BNVTMS19A05D612V", "insurance number", "BNVTMS19A05D612V"),
        ("session opened from 203.0.113.77 at noon", "network address", "203.0.113.77"),
        ("kiosk 2001:db8:85a3::8a2e:370:7334", "network address", "2001:db8:85a3::8a2e:370:7334"),
        ("My page is facebook.com/tamika.broussard.50", "name", "tamika.broussard.50"),
    ],
)
def test_an_identifier_of_a_patient_is_found(text: str, kind: str, found: str) -> None:
    assert (kind, found) in [(one.kind, one.text) for one in find_phi(text, own=True)]


@pytest.mark.parametrize(
    "text",
    [
        "Does Crohn's disease go with Hashimoto thyroiditis, and may I take Xarelto with Keppra?",
        "I have Parkinson's disease and take levodopa with carbidopa; is domperidone safe?",
        "My mother has Alzheimer's, my father had Hodgkin lymphoma. What is my risk?",
        "Version 10.2.1.0 of the pump's software; enzyme EC 3.4.15.1",
        "Potassium 4.1 mmol/L, platelets 150 000, LDL 3.4; trial NCT00412984, PMID 21870978",
        "Ask about ibuprofen.",
    ],
)
def test_a_question_without_a_person_is_left_as_it_is(text: str) -> None:
    assert find_phi(text, own=True) == []


def test_authors_in_a_published_text_are_left_to_the_rules() -> None:
    text = "Ludmila Petrenko and Iryna Bondar measured ferritin."
    assert find_phi(text, published=True) == []
    assert [one.text for one in find_phi(text, own=True)] == ["Ludmila Petrenko", "Iryna Bondar"]


def test_a_name_of_the_question_is_masked_in_the_answer() -> None:
    texts = {"question": "Amelia Thornbury has asthma.", "answer": "Then Thornbury should see a doctor."}
    assert guard_texts(texts, "redact")[1] == {
        "question": "[name 1] has asthma.",
        "answer": "Then [name 1b] should see a doctor.",
    }


def test_a_name_behind_the_first_window_has_its_place() -> None:
    text = "The cough is dry. " * 60 + "Sarah Whitfield should call back."
    start = text.index("Sarah")
    assert recognized(text, own=True) == [("name", start, start + len("Sarah Whitfield"))]


def test_the_weights_are_those_that_were_measured() -> None:
    digest = hashlib.sha256((MODEL / "model_q4.onnx").read_bytes()).hexdigest()
    assert digest == "9f27d24949b0581701071ea5ef522d77ccd3f50c525cc91eac4d265b0fc2afe5"


def test_the_runtime_is_loaded_only_when_a_text_is_read() -> None:
    code = "import sys, medassay.models.phi.guard; print('onnxruntime' in sys.modules, 'tokenizers' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "False False\n"
