"""JSON from outside: halves of characters, and nesting without end."""

import pytest

from medassay.models.sources.asking import read_answer, read_json


@pytest.mark.parametrize(
    "written, read",
    [
        (rb'"a \ude00\ud83d"', "a \ufffd\ufffd"),
        (rb'"\ud83d\ud83d\ude00"', "\ufffd\U0001f600"),
        (rb'"\\ud83d \\\ud83d \n\u00e4"', "\\ud83d \\\ufffd \n\u00e4"),
        ('{"ä": ["\\ud83d"]}'.encode("utf-16"), {"ä": ["\ufffd"]}),
    ],
)
def test_half_of_a_character_is_replaced(written: bytes, read: object) -> None:
    assert read_answer(written) == read


@pytest.mark.parametrize("depth", [101, 900, 200_000])
def test_nesting_has_an_end(depth: int) -> None:
    for text in ("[" * depth + "]" * depth, '{"a":' * depth + "1" + "}" * depth):
        with pytest.raises(ValueError, match="^it is nested deeper than 100 times$"):
            read_json(text)
    with pytest.raises(ValueError):
        read_json("[" * depth)
