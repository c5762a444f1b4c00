import pytest

from medassay.models.judges.statements.set_off import without_asides


def is_no_rest(part: str, rest: str) -> bool:
    return "rest" not in part.lower().split()


@pytest.mark.parametrize(
    ("statement", "versions", "gist"),
    [
        (
            "Rest helps most people – a point on which all agree!",
            ("Rest helps most people!",),
            "Rest helps most people!",
        ),
        ("The dose is 20,000 mg; rest is needed too.", ("Rest is needed too.",), "Rest is needed too."),
        (
            "Rest helps most people because studies show it.",
            ("Rest helps most people.",),
            "Rest helps most people.",
        ),
        ("They sleep well, and rest does the rest.", ("Rest does the rest.",), "Rest does the rest."),
        ("Rest, says she.", (), "Rest, says she."),
    ],
)
def test_a_statement_is_read_without_the_asides_set_off_in_it(
    statement: str, versions: tuple[str, ...], gist: str
) -> None:
    assert without_asides(statement, is_no_rest) == (versions, gist)


def test_what_belongs_to_a_statement_stays_in_it() -> None:
    said = "Cells that make dopamine, a messenger substance, are slowly lost."
    assert without_asides(said, lambda part, rest: False) == ((), said)


def test_where_every_part_is_an_aside_each_is_left_out_once_and_the_gist_is_the_statement() -> None:
    said = "Do nothing at all, it is harmless, and wait until tomorrow."
    assert without_asides(said, lambda part, rest: True) == (
        (
            "It is harmless, and wait until tomorrow.",
            "Do nothing at all and wait until tomorrow.",
            "Do nothing at all, it is harmless.",
        ),
        said,
    )
