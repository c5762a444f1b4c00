"""Addresses of pages: a portal's give a patient away, a publication's give nobody away."""

import pytest

from medassay.models.phi.finding import find_phi


@pytest.mark.parametrize(
    ("link", "found"),
    [
        (
            "See https://portal.example/view?name=Anna+Example&mrn=00412345&dob=1961-04-03.",
            [("name", "Anna+Example"), ("record number", "00412345"), ("date", "1961-04-03.")],
        ),
        (
            "https://portal.example/u/anna.example@mail.example/notes",
            [("email", "anna.example@mail.example")],
        ),
        (
            "https://portal.example/?email=anna%40mail.example&phone=%2B1+617-555-0143",
            [("email", "anna%40mail.example"), ("phone", "%2B1+617-555-0143")],
        ),
        ("https://hospital.example/patients/MRN-00412345/labs", [("record number", "MRN-00412345")]),
        ("portal.example/x?patient_id=77#first-name=Anna", [("record number", "77"), ("name", "Anna")]),
    ],
)
def test_what_an_address_says_of_a_patient_is_found(link: str, found: list[tuple[str, str]]) -> None:
    assert [(one.kind, one.text) for one in find_phi(link)] == found


@pytest.mark.parametrize(
    "link",
    [
        "https://pubmed.ncbi.nlm.nih.gov/12345678/",
        "https://doi.org/10.1056/NEJMoa1603827",
        "https://zenodo.org/records/1234567",
        "https://dailymed.example/search?name=metformin&page=2",
        "https://www.nice.example/guidance/ng28?date=2022-06-29",
        "https://cdn.example/chart@4.4.0/dist/chart.js",
        "https://clinic.example/contact?to=info@clinic.example",
        "https://www.example.org/patients/information/diabetes-2021",
    ],
)
def test_the_address_of_a_publication_names_nobody(link: str) -> None:
    assert find_phi(link) == []
