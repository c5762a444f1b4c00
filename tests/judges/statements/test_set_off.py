import pytest

from models.judges.statements.set_off import gist_of, shorter_versions


def speaks_of_rest(words: str) -> bool:
    return "rest" in words.lower().split()


@pytest.mark.parametrize(
    ("statement", "versions"),
    [
        ("Rest helps most people.", ()),
        ("Undoubtedly, rest helps most people.", ("Rest helps most people.",)),
        ("Rest helps most people – a point on which all agree!", ("Rest helps most people!",)),
        (
            "Rest helps, as all of us know, most people.",
            ("Rest helps, as all of us know.", "Rest helps most people."),
        ),
        ("The dose is 20,000 mg; rest is needed too.", ("Rest is needed too.",)),
        (
            "Do nothing, it is harmless, and wait until tomorrow.",
            (
                "Do nothing, it is harmless.",
                "Do nothing and wait until tomorrow.",
                "It is harmless, and wait until tomorrow.",
            ),
        ),
        ("Rest helps most people because studies show it.", ("Rest helps most people.",)),
        ("Nausea and pain are rare with rest.", ()),
        ("Rest is needed because of the risk.", ()),
        ("They sleep well, and rest does the rest.", ("Rest does the rest.",)),
        ("Well, yes.", ()),
        ("", ()),
    ],
)
def test_a_statement_is_read_without_what_is_set_off_in_it(statement: str, versions: tuple[str, ...]) -> None:
    found = shorter_versions(statement, speaks_of_rest)
    assert set(versions) <= set(found)
    assert statement not in found
    assert all(len(version.split()) >= 3 for version in found)


def test_a_part_that_is_tied_to_the_question_is_left_in_every_version() -> None:
    found = shorter_versions("In short, rest is needed, says a nurse.", speaks_of_rest)
    assert set(found) == {"In short, rest is needed.", "Rest is needed, says a nurse.", "Rest is needed."}


def test_of_four_parts_the_ends_may_be_asides_and_more_are_a_list() -> None:
    assert set(shorter_versions("One small fig, two figs, three figs, four figs.", speaks_of_rest)) == {
        "Two figs, three figs, four figs.",
        "One small fig, two figs, three figs.",
        "One small fig.",
    }
    assert shorter_versions("One fig, two figs, three figs, four figs, five figs.", speaks_of_rest) == ()


@pytest.mark.parametrize(
    ("statement", "gist"),
    [
        ("Surely, rest is what helps – everybody says so.", "Rest is what helps."),
        (
            "With rest, nearly every child sleeps very soundly at night, says she.",
            "With rest, nearly every child sleeps very soundly at night.",
        ),
        (
            "As for rest, nearly every child sleeps very soundly at night.",
            "Nearly every child sleeps very soundly at night.",
        ),
        ("Sleep is best, as doctors recommend rest everywhere.", "Sleep is best."),
        ("Sleep helps nearly always, everybody says so.", "Sleep helps nearly always."),
        ("Rest, says she.", "Rest, says she."),
    ],
)
def test_the_gist_is_what_is_tied_to_the_question_or_the_longest_part(statement: str, gist: str) -> None:
    assert gist_of(statement, speaks_of_rest) == gist
