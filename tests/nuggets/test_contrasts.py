import pytest

from medassay.models.nuggets.contrast import contrasts
from medassay.models.nuggets.contrast.frequency import frequencies
from medassay.models.nuggets.contrast.measures import measures
from medassay.models.nuggets.named import named_otherwise

TURNED = [
    (
        "Paracetamol is preferred for pain in pregnancy.",
        "Ibuprofen is preferred over paracetamol in pregnancy.",
        "comparator",
        "*is preferred*",
        "*Ibuprofen is preferred over paracetamol in pregnancy*",
    ),
    (
        "Ibuprofen is safer than aspirin in children.",
        "Aspirin is the safest painkiller in children.",
        "comparator",
        "*Ibuprofen is safer than aspirin in children*",
        "*is the safest*",
    ),
    (
        "Statins reduce LDL cholesterol.",
        "Statins increase LDL cholesterol.",
        "direction",
        "*reduce*",
        "*increase*",
    ),
    (
        "Drug A improves survival in heart failure.",
        "In heart failure, drug A has no effect on survival.",
        "direction",
        "*improves*",
        "*no effect*",
    ),
    (
        "HIV is not transmitted by touch.",
        "HIV is transmitted by touch.",
        "negation",
        "*not transmitted*",
        None,
    ),
    (
        "Isotretinoin is contraindicated in pregnancy.",
        "Isotretinoin is recommended in pregnancy.",
        "negation",
        "*contraindicated in pregnancy*",
        None,
    ),
    (
        "Adults must not take more than 4 g of paracetamol in 24 hours.",
        "Adults may take more than 4 g of paracetamol in 24 hours.",
        "dose",
        "*not take more than 4 g*",
        "*more than 4 g*",
    ),
    (
        "Loperamide is used with caution in liver disease.",
        "Loperamide is considered safe in liver disease.",
        "antonym",
        "*caution*",
        "*safe*",
    ),
    (
        "Studies of ginkgo for memory found mixed results.",
        "Ginkgo improves memory.",
        "findings",
        "*mixed results*",
        "*improves*",
    ),
    ("Give 0.5 mg adrenaline.", "Give 5 mg adrenaline.", "dose", "*0.5 mg*", "*5 mg*"),
    ("Cough occurs in 5–10 % of users.", "Cough occurs in 40 % of users.", "quantity", "*5–10 %*", "*40 %*"),
    (
        "Apixaban is taken twice daily.",
        "Apixaban is taken once daily.",
        "frequency",
        "*twice daily*",
        "*once daily*",
    ),
    (
        "Codeine is unsafe in children.",
        "Codeine is unsafe in adults.",
        "population",
        "*children*",
        "*adults*",
    ),
    (
        "Apixaban causes less bleeding than warfarin.",
        "Warfarin causes less bleeding than apixaban.",
        "comparator",
        "*Apixaban causes less bleeding than warfarin*",
        "*Warfarin causes less bleeding than apixaban*",
    ),
    (
        "Take omeprazole before breakfast.",
        "Take omeprazole after breakfast.",
        "temporal",
        "*before*",
        "*after*",
    ),
    (
        "Oral vancomycin treats colitis.",
        "Intravenous vancomycin treats colitis.",
        "route",
        "*Oral*",
        "*Intravenous*",
    ),
    (
        "Bronchiolitis is a viral infection.",
        "Bronchiolitis is a bacterial infection.",
        "antonym",
        "*viral*",
        "*bacterial*",
    ),
    (
        "Insulin can cause hypoglycaemia.",
        "Insulin can cause hyperglycaemia.",
        "antonym",
        "*hypoglycaemia*",
        None,
    ),
    ("Zinc may shorten a cold.", "Zinc is proven to shorten a cold.", "certainty", "*may*", "*proven*"),
]


@pytest.mark.parametrize(("nugget", "claim", "kind", "said", "heard"), TURNED)
def test_fires_with_its_reason(nugget: str, claim: str, kind: str, said: str, heard: str | None) -> None:
    fired = {contrast.kind: contrast for contrast in contrasts(nugget, claim)}
    assert kind in fired
    reason = fired[kind].reason
    assert reason.startswith(f"nugget says {said}, answer says ")
    assert heard is None or reason.endswith(heard)
    assert fired[kind].severity == ("partial" if kind == "certainty" else "contradiction")
    start, end = fired[kind].nugget_span
    assert nugget[start:end].strip() == said.strip("*")


@pytest.mark.parametrize(
    ("nugget", "claim"),
    [
        (
            "Adults must not take more than 4 g of it a day.",
            "No adult should take more than 4 g of it a day.",
        ),
        ("Adults must not take more than 4 g of it a day.", "Never take more than 4 g of it a day."),
        ("Give 0.5 mg adrenaline.", "Give 500 µg adrenaline."),
        ("Give 0.5 mg adrenaline.", "Give 500 micrograms of adrenaline."),
        ("Cough occurs in 5–10 % of users.", "Cough occurs in 7 % of users."),
        ("A haemoglobin below 8 g/dL is severe.", "A haemoglobin below 80 g/L is severe."),
        ("It lasts 3 months.", "It lasts about 12 weeks."),
        ("Amoxicillin is taken every 8 hours.", "Amoxicillin is taken three times a day."),
        ("Levetiracetam is dosed twice a day.", "Levetiracetam is given q12h."),
        ("Beta blockers lower blood pressure.", "Decongestants raise blood pressure."),
        ("Insulin lowers blood glucose.", "Insulin reduces raised blood glucose."),
        ("Cataracts cannot be cured with eye drops.", "Eye drops do not cure cataracts."),
        ("Type 1 diabetes cannot be treated without insulin.", "Type 1 diabetes always needs insulin."),
        ("Honey is unsafe for infants.", "Infants should not be given honey."),
        ("There was no significant difference in deaths.", "Deaths did not differ significantly."),
        ("Hydrocortisone is less potent than clobetasol.", "Clobetasol is more potent than hydrocortisone."),
        ("The rash appears after the fever.", "The fever appears before the rash."),
        ("Metformin lowers glucose.", "Metformin does not raise glucose."),
        ("Adults with otitis externa receive drops.", "Children with otitis media receive amoxicillin."),
    ],
)
def test_stays_silent_where_both_can_hold(nugget: str, claim: str) -> None:
    assert contrasts(nugget, claim) == ()


def test_names_with_numbers_are_not_amounts() -> None:
    assert [measure.dimension for measure in measures("omega-3 in type 2 diabetes for 2 years")] == [
        "count of omega name",
        "count of type name",
        "time",
    ]


def test_measures_come_in_base_units() -> None:
    found = measures("at least 2–4 weeks, up to 4 g, 38 °C or higher, 130/80 mmHg, 1,000 mL")
    assert [(measure.dimension, measure.low, measure.high) for measure in found] == [
        ("time", 1209600.0, 2419200.0),
        ("mass", float("-inf"), 4000.0),
        ("temperature", 38.0, float("inf")),
        ("pressure", 130.0, 130.0),
        ("volume", 1000.0, 1000.0),
    ]


def test_schedules_come_as_times_a_day() -> None:
    text = "once daily, 2 to 3 times a day, every 6 to 8 hours, q12h, bid, once a week, every other day"
    assert [(round(low, 3), round(high, 3)) for low, high, _, _ in frequencies(text)] == [
        (1.0, 1.0),
        (2.0, 3.0),
        (3.0, 4.0),
        (2.0, 2.0),
        (2.0, 2.0),
        (0.143, 0.143),
        (0.5, 0.5),
    ]


@pytest.mark.parametrize("odd", ["", " ", "…", "1.", "—", "[3]", "\u200b", "!!!", "5 %"])
def test_texts_without_words_turn_nothing_around(odd: str) -> None:
    for text in ("Aspirin does not reduce mortality.", odd):
        assert contrasts(text, odd) == ()
        assert contrasts(odd, text) == ()


@pytest.mark.parametrize(
    ("nugget", "claim"),
    [
        ("Type 1 diabetes begins in childhood.", "Type 2 diabetes begins in childhood."),
        ("Drug 4 lowers the heart rate.", "Drug 5 lowers the heart rate."),
        ("Stage 3 tumours are removed.", "Stage 4 tumours are removed."),
    ],
)
def test_the_number_of_a_name_is_no_quantity(nugget: str, claim: str) -> None:
    assert contrasts(nugget, claim) == ()
    assert named_otherwise(nugget, claim) is not None


def test_an_amount_beside_a_name_is_still_a_quantity() -> None:
    (found,) = contrasts("Drug 4 is given at 5 mg.", "Drug 4 is given at 50 mg.")
    assert (found.kind, found.reason) == ("dose", "nugget says *5 mg*, answer says *50 mg*")
