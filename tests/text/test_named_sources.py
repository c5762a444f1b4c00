"""Sources that are named in the text, without a marker or an identifier."""

import pytest

from models.records import Answer
from models.text.claims import decompose
from models.text.references.named import named_sources


@pytest.mark.parametrize(
    "text",
    [
        "It lowers mortality (UKPDS 34, Lancet 1998;352:854-65).",
        "It lowers mortality [UKPDS 34, Lancet 1998;352:854-65].",
        "It helps (Smith et al., NEJM 2015).",
        "It helps (Smith J, N Engl J Med 2015;372:1-9).",
        "It helps (Lee, 2019, Diabetes Care).",
        "It helps (Lee K. Stroke 2011).",
        "It helps (Lee K. Some trial of rest. Acta Example. 2011; 12(3): e45).",
        "Start low (American Diabetes Association, Standards of Care in Diabetes, 2024).",
        "Start low (WHO guideline on malaria, 2023).",
        "Start low (guidance by NICE, updated 2022).",
        "It is first-line. Source: NICE NG28 guideline, 2022.",
        "Reference: Harrison's Principles of Internal Medicine, 21st ed., chapter 404.",
        "It works (Cochrane review CD002966).",
        "Ask your nurse (nhs.uk/conditions/diabetes).",
        "More at www.cdc.gov/malaria/travelers today.",
    ],
)
def test_a_source_that_can_be_found_is_a_reference(text: str) -> None:
    found = decompose(Answer("", "", text), "Does it help?")
    assert found.has_references
    assert [source.source_id.split(":")[0] for source in found.sources] in (["reference"], ["url"])


@pytest.mark.parametrize(
    "text",
    [
        "Take it (2.5 mg, twice daily, 2020).",
        "Ask somebody (see your doctor).",
        "Source: protein and iron.",
        "The reference range: 3.5-5.0 mmol/L.",
        "Reference range (adults): 4-11.",
        "Compare it with the reference method.",
        "Source of infection: water.",
        "It was used (up to 1998).",
        "It is mild (type 2, 24 mg/dL).",
        "It is severe (WHO class II).",
        "It is severe (NYHA III).",
        "Rest and/or ice.",
        "Reference: ask a nurse.",
        "He had it (a chest pain in 2015).",
        "They were told (a report to the FDA).",
        "It is 5 mg/kg.",
        "Write to a.b@clinic.com/xyz.",
        "It began (stroke in 2010).",
        "It began (in 2015, a stroke).",
        "It was shown (Gold standard 2020).",
        "It was luck (a stroke of luck, 1999).",
        "It was seen (chest X-ray, 2020).",
        "Units for it are good (Stroke units, 2015).",
        "It is by nature mild (by nature, 2015).",
    ],
)
def test_medicine_in_brackets_is_none(text: str) -> None:
    assert named_sources(text) == []
    assert not decompose(Answer("", "", text), "Does it help?").has_references


def test_what_a_marker_or_a_list_says_is_not_named_again() -> None:
    listed = "It helps [1].\n\nReferences\n1. Smith J. Rest at home. NEJM. 2015;372:1-9. PMID: 11"
    assert [source.source_id for source in decompose(Answer("", "", listed), "?").sources] == ["pmid:11"]
