from medassay.models.nuggets.making import nuggets_from_reference, says_the_same

REFERENCE = (
    "Metformin lowers blood glucose. It is started at 500 mg; the dose is raised slowly over weeks. "
    "Do you drink alcohol? Blood glucose is lowered by metformin. Metformin raises blood glucose. "
    "It is also sold under the brand name Glucophage."
)


def test_one_fact_each_said_once_with_its_place() -> None:
    made = nuggets_from_reference(REFERENCE)
    assert [(nugget.text, nugget.importance) for nugget in made] == [
        ("Metformin lowers blood glucose.", "vital"),
        ("Metformin is started at 500 mg", "vital"),
        ("the dose is raised slowly over weeks.", "vital"),
        ("Metformin raises blood glucose.", "vital"),
        ("Metformin is also sold under the brand name Glucophage.", "okay"),
    ]
    assert [REFERENCE[nugget.start : nugget.end].rstrip(";") for nugget in made] == [
        "Metformin lowers blood glucose.",
        "It is started at 500 mg",
        "the dose is raised slowly over weeks.",
        "Metformin raises blood glucose.",
        "It is also sold under the brand name Glucophage.",
    ]


def test_a_fact_stands_by_itself() -> None:
    told = (
        "ACE inhibitors cause cough. They are contraindicated in pregnancy. It is important to check potassium. "
        "In adults, warfarin thins the blood. It's teratogenic. The dose varies. It is swallowed "
        "with food. The risk of bleeding is higher with aspirin. It inhibits platelets. Diabetes is common. It damages the retina."
    )
    assert [nugget.text for nugget in nuggets_from_reference(told)] == [
        "ACE inhibitors cause cough.",
        "ACE inhibitors are contraindicated in pregnancy.",
        "It is important to check potassium.",
        "In adults, warfarin thins the blood.",
        "Warfarin is teratogenic.",
        "The dose varies.",
        "It is swallowed with food.",
        "The risk of bleeding is higher with aspirin.",
        "It inhibits platelets.",
        "Diabetes is common.",
        "Diabetes damages the retina.",
    ]


def test_facts_of_two_types_are_two_facts() -> None:
    assert not says_the_same("Type 1 diabetes needs insulin.", "Type 2 diabetes needs insulin.")


def test_the_same_words_with_a_negation_are_another_fact() -> None:
    assert not says_the_same("Metformin is safe in pregnancy.", "Metformin is not safe in pregnancy.")
    assert says_the_same("Blood glucose is lowered by metformin.", "Metformin lowers blood glucose.")
