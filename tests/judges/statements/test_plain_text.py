import pytest

from medassay.models.judges.statements.plain_text import plain_text


@pytest.mark.parametrize(
    ("said", "plain"),
    [
        ("Yes, it protects. No, it is not safe.", "It protects. It is not safe."),
        ("Undoubtedly, yes, it protects.", "Undoubtedly, it protects."),
        (
            "It is early. As for the dose, no, it is not enough.",
            "It is early. As for the dose, it is not enough.",
        ),
    ],
)
def test_a_sentence_begins_without_its_yes(said: str, plain: str) -> None:
    assert plain_text(said) == plain


def test_a_long_row_of_words_is_looked_at_once() -> None:
    assert plain_text("word " * 20_000 + "yes") == "word " * 20_000 + "yes"
