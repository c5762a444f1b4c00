"""What typesetting puts in the place of plain letters, hyphens and spaces; what says something stays."""

import pytest

from medassay.models.folding import Folded, folded
from medassay.models.records import Span


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("The eﬃcacy was conﬁrmed.", "The efficacy was confirmed."),
        ("eﬃ\u00ad\n  cacy, con\u00adfirmed, no\u200bted\ufeff", "efficacy, confirmed, noted"),
        ("non\u2010inferior, follow\u2011up", "non-inferior, follow-up"),
    ],
)
def test_letters_hyphens_and_spaces_are_made_plain(text: str, plain: str) -> None:
    assert folded(text).text == plain


@pytest.mark.parametrize(
    "text",
    [
        "10² cells/m³",
        "¼ of 1½ tablets",
        "naïve Œdème №5 ™",
    ],
)
def test_what_says_something_stays_as_it_is(text: str) -> None:
    assert folded(text) == Folded(text)


def test_a_span_of_the_folded_text_has_its_place_in_the_original() -> None:
    text = "\ufeffIt is eﬃ\u00ad\ncacious. It a\u200bﬀects all."
    found = folded(text)
    places = [
        Span(found.text.index(words), found.text.index(words) + len(words))
        for words in ("efficacious.", "f", "affects")
    ]
    said = [found.original(place) for place in places]
    assert [text[span.start : span.end] for span in said] == ["eﬃ\u00ad\ncacious.", "ﬃ", "a\u200bﬀects"]


def test_an_accent_by_itself_is_joined_with_its_letter() -> None:
    passage = "L'e\u0301tude montre une re\u0301duction. Fin."
    plain = folded(passage)
    assert plain.text == "L'étude montre une réduction. Fin."
    start = plain.text.index("une")
    assert passage[slice(*_ends(plain.original(Span(start, start + 14))))] == "une re\u0301duction."


def _ends(span: Span) -> tuple[int, int]:
    return span.start, span.end
