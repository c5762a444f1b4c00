from collections.abc import Sequence

import pytest

from medassay.models.embedding import DEFAULT_EMBEDDER
from medassay.models.judges.statements.far_asides import all_asides, embedded_cosine, far_asides
from medassay.models.registry import model_named, path_of

QUESTION = "Does rest help with a cold?"


def by_shared_words(words: str, others: Sequence[str]) -> float:
    return float(any(set(words.lower().split()) & set(other.lower().split()) for other in others))


def speaks_of_colds(words: str) -> bool:
    return "colds" in words


@pytest.mark.parametrize(
    ("statement", "versions"),
    [
        (
            "Every neighbour I met will gladly tell you that rest helps with most colds.",
            ("Rest helps with most colds.",),
        ),
        ("Warmth and sleep in the care of one who loves you all the time.", ()),
        (
            "The doubters have not shown that rest helps with most colds.",
            (),
        ),
        (
            "What my aunt, a nurse, has told us of colds again and again: rest helps with most colds.",
            ("Rest helps with most colds.",),
        ),
        ("Of colds it is a myth to say: rest helps with none of it.", ()),
        ("Signs of colds: a running nose and a cough.", ()),
        ("Sleep and rest are things that help with most colds.", ()),
        (
            "Rest helps with most colds as taken early by day and it is cheap for all of us.",
            (
                "Rest helps with most colds as taken early by day.",
                "Rest helps with most colds.",
                "Rest helps with most colds as taken early.",
            ),
        ),
    ],
)
def test_what_is_far_from_the_rest_and_from_the_question_is_left_out(
    statement: str, versions: tuple[str, ...]
) -> None:
    found = far_asides(statement, QUESTION, speaks_of_colds, by_shared_words)
    assert set(found) <= set(all_asides(statement)) | set(versions)
    assert found == versions


@pytest.mark.skipif(
    not path_of(model_named(DEFAULT_EMBEDDER)).exists(), reason=f"{DEFAULT_EMBEDDER} is not pulled"
)
def test_meaning_tells_an_aside_from_medicine() -> None:
    cosine = embedded_cosine()
    assert far_asides(
        "Honey protects infants against botulism just as grandmothers everywhere have always sworn.",
        "When may infants have honey?",
        speaks_of_colds,
        cosine,
    ) == ("Honey protects infants against botulism.",)
    assert not far_asides(
        "Honey should not be given before the age of 12 months because of the risk of infant botulism.",
        "When may infants have honey?",
        speaks_of_colds,
        cosine,
    )
