import pytest
from pydantic import BaseModel

from models.chat.reply import Complaint, Reply, read_objects, read_shape


class Point(BaseModel):
    x: int
    y: int


@pytest.mark.parametrize(
    "text",
    [
        '{"x": 1, "y": 2}',
        '```json\n{"x": 1, "y": 2}\n```',
        '<think>maybe {"x": 9, "y": 9}</think>{"x": 1, "y": 2}',
        'thinking aloud {"x": 9, "y": 9}</think>\n{"x": 1, "y": 2}',
        '{"x": 1, "y": 2} I hope {this} helps',
        '{"x": 9, "y": 9} no, better: {"x": 1, "y": 2}',
        '{"x": 1, "y": 2} and {"z": 3}',
        '{"x": 1, "y": 2}<think>I could go on',
    ],
)
def test_the_last_object_of_the_asked_shape_is_meant(text: str) -> None:
    assert read_shape(text, Point) == (Point(x=1, y=2), ())


def test_a_repair_is_noted() -> None:
    assert read_shape("{'x': 1, 'y': 2,", Point) == (Point(x=1, y=2), ("the JSON was repaired",))


def test_objects_come_last_first() -> None:
    assert read_objects('{"a": {"b": 1}} {"c": 2}') == [Reply({"c": 2}), Reply({"a": {"b": 1}})]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "holds no JSON object"),
        ("all is well", "holds no JSON object"),
        ('<think>{"x": 1, "y": 2}', "ended inside its reasoning"),
        ('{"x": 1}', "y: Field required"),
        ('{"x": 1, "y": "two"}', "(given: 'two')"),
        ("{" * 300_000, "300000 characters"),
        ("{[" * 2_000, "not valid JSON"),
        ('{"x": NaN}', "Field required"),
    ],
)
def test_what_cannot_be_read_is_said_in_words(text: str, words: str) -> None:
    with pytest.raises(Complaint) as caught:
        read_shape(text, Point)
    assert words in str(caught.value)
