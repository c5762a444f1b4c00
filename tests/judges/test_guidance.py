import pytest

from medassay.models.judges.guidance import MOST_POINTS, points_of


@pytest.mark.parametrize(
    ("guidance", "dos", "donts"),
    [
        (
            "Do: explain how to take the tablets; tell her that stools may turn black. Don't: discuss iron infusions.",
            ("explain how to take the tablets", "tell her that stools may turn black"),
            ("discuss iron infusions",),
        ),
        ("Explain the benefits. Don’t recommend a brand.", ("explain the benefits",), ("recommend a brand",)),
        ("Should mention rinsing. Should not give doses.", ("mention rinsing",), ("give doses",)),
        ("Avoid giving doses; never promise a cure.", (), ("give doses", "promise a cure")),
        ("No brand names, please.", (), ("contain brand names",)),
        (
            "Don't:\n- give doses\n- name brands\nDo:\n- reassure\n- say when to call",
            ("reassure", "say when to call"),
            ("give doses", "name brands"),
        ),
        (
            "Do's: reassure. Don'ts: blame or scold the patient.",
            ("reassure",),
            ("blame or scold the patient",),
        ),
        (
            "Do: say what to do about bleeding, warn against smoking, and name the hospital.",
            ("say what to do about bleeding", "warn against smoking", "name the hospital"),
            (),
        ),
        (
            "The answer must name the hospital and must not frighten the patient.",
            ("name the hospital",),
            ("frighten the patient",),
        ),
        ("Don't go into live vaccines, they have a sheet of their own.", (), ("go into live vaccines",)),
        ("The patient is anxious. If it bleeds, call. Her son asks for her.", (), ()),
        (
            "Don'ts:\n\nGive doses\nBrand names\n\nDos:\nReassure",
            ("reassure",),
            ("give doses", "contain brand names"),
        ),
        ("Do not worry him. You should soothe him.", ("soothe him",), ("worry him",)),
        ("Answer in a numbered list. Use at most three sentences. Be kind.", (), ()),
    ],
)
def test_guidance_falls_into_points_that_can_be_looked_for(
    guidance: str | None, dos: tuple[str, ...], donts: tuple[str, ...]
) -> None:
    found = points_of(guidance)
    assert (found.dos, found.donts) == (dos, donts)


def test_of_very_long_guidance_the_first_points_are_read() -> None:
    found = points_of("; ".join(f"mention point {n}" for n in range(50)))
    assert found.dos == tuple(f"mention point {n}" for n in range(MOST_POINTS))
