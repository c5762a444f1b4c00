"""Notations of numbers; the inputs are those of the shared cases 14_nugget_contrasts and 16_numbers_some."""

import pytest

from medassay.models.nli.language_model.prompt import in_one_notation


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("a hazard ratio of 0·79", "a hazard ratio of 0.79"),
        ("given at 1 000 mg per dose", "given at 1000 mg per dose"),
        (
            "Paracetamol is taken as 1 g four times a day.",
            "Paracetamol is taken as 1000 mg four times a day.",
        ),
        ("started at 50 ug daily", "started at 50 mcg daily"),
        ("started at 50 µg daily", "started at 50 mcg daily"),
        ("started at 0.05 mg daily", "started at 50 mcg daily"),
        ("The dose of lorazepam is .5 mg.", "The dose of lorazepam is 500 mcg."),
        ("The dose of lorazepam is 0,5 mg.", "The dose of lorazepam is 500 mcg."),
        ("The dose of lorazepam is 5 mg.", "The dose of lorazepam is 5 mg."),
        ("started with ½ tablet daily", "started with 0.5 tablet daily"),
        ("7.5 mg weekly", "7.5 mg weekly"),
        ("0.1 mcg/kg/min", "0.1 mcg/kg/min"),
        ("2,000 adults over 70, 1,500 of them women", "2000 adults over 70, 1500 of them women"),
        ("a haemoglobin of 7 g/dL, 95 % CI 0.6, 1.2", "a haemoglobin of 7 g/dL, 95 % CI 0.6, 1.2"),
        ("see Figure 2, 150 g of rice", "see Figure 2, 150 g of rice".replace("150 g", "150 g")),
    ],
)
def test_notations(written: str, read: str) -> None:
    assert in_one_notation(written) == read
