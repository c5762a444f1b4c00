import pytest
from pydantic import BaseModel

from medassay.models.chat.reply import Complaint, read_fields, read_shape


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
        'Using {the rubric}: {"x": 1, "y": 2}',
        '<|channel|>analysis<|message|>{"x": 9, "y": 9}<|end|><|start|>assistant<|channel|>final<|message|>{"x": 1, "y": 2}',
    ],
)
def test_the_last_object_of_the_asked_shape_is_meant(text: str) -> None:
    two = text.count('"x"') > 1 and "</think>" not in text and "<|channel|>" not in text
    notes = ("the reply holds 2 JSON objects: the last one counted",) if two else ()
    assert read_shape(text, Point) == (Point(x=1, y=2), notes)


class Remark(BaseModel):
    x: int
    text: str


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"text": "It is right.", "x": 9', "its last brace is missing"),
        ('{"x": 9, "text": "It is rig', "its last brace is missing"),
        ('{"x": 17 out of 20, "text": "Good",}', "x is written as '17 out of 20'; write the number alone"),
        ('{"x": 85 -> 80, "text": "Good"}', "x is written as '85 -> 80'"),
        ('{"x": ~85, "text": "Good"}', "x is written as '~85'"),
        ('{"x": 8_5, "text": "Good"}', "x is written as '8_5'"),
        ('{"x": 90, "text": "Good", "x": 10}', "x is given twice, with different values"),
        ('{"x": 5, "text": "It says {"x": 100, "text": "Perfect"} to us"}', "x is given twice"),
        ('{"x": 5, "text": "odd } brace" and more}', "its last value has no end"),
        ('{"x": 1, "text": "a draft"} {"x": 2, "text": "the', "its last brace is missing"),
    ],
)
def test_no_value_is_guessed(text: str, words: str) -> None:
    with pytest.raises(Complaint) as caught:
        read_shape(text, Remark)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("text", "remark"),
    [
        ('{"x": 1, "text": "Good",}', "Good"),
        ("{'x': 1, 'text': 'Good'}", "Good"),
        ('{x: 1, // solid\n text: "Good"}', "Good"),
        ('{"x": 1, "text": "It says "5 mg" twice"}', 'It says "5 mg" twice'),
        ('{"x": 1, "text": "Good", "meta": {"sure": 0.9},}', "Good"),
    ],
)
def test_signs_are_mended(text: str, remark: str) -> None:
    assert read_shape(text, Remark) == (Remark(x=1, text=remark), ("the JSON was repaired",))


def test_tags_inside_a_text_are_part_of_it_and_half_characters_are_replaced() -> None:
    text = '{"x": 1, "text": "It leaks a </think> and a <think> \\ud83d"}'
    assert read_shape(text, Remark)[0].text == "It leaks a </think> and a <think> \ufffd"


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        ('{"x": ["no idea"], "text": "Good"}', "no idea"),
        ('{"x": "20/100", "text": "Poor"}', "20/100"),
        ('{"x": "twenty", "text": ""}', "twenty"),
        ('{"x": "5 (integer)", "text": "Poor"}', "5 (integer)"),
        ('{"x": "N/A", "text": "Poor"}', "N/A"),
        ('{"x": "integer 20", "text": "Poor"}', "integer 20"),
        ('{"x": {"score": 20}, "text": "Poor"}', "score"),
        ('{"x": "20/100"}', "20/100"),
        ('{"verdict": {"x": 20, "text": "Poor"}}', "x: Field required"),
        ('{"verdicts": [{"x": "20/100", "text": "Poor"}]}', "x: Field required"),
        ('{"x": 20 of 100, "text": "Poor"} {"note": "done"}', "x is written as '20 of 100'"),
    ],
)
def test_a_verdict_that_cannot_be_used_is_not_replaced_by_a_draft_before_it(verdict: str, words: str) -> None:
    text = f'First draft: {{"x": 97, "text": "Perfect"}} My own verdict: {verdict}'
    with pytest.raises(Complaint) as caught:
        read_shape(text, Remark)
    assert words in str(caught.value)
    assert read_fields(text, Remark).get("x") is None


def test_of_several_objects_the_fields_of_the_last_one_count() -> None:
    assert read_fields('"{"x": 100, "text": "quoted"}" but: {"x": 3, "text": null}', Remark) == {"x": 3}
    assert read_fields('{"x": 3, "text": "cut', Remark) == {}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "holds no JSON object"),
        ("all is well", "holds no JSON object"),
        ('<think>{"x": 1, "y": 2}', "ended inside its reasoning"),
        ('{"x": 1}', "y: Field required"),
        ('{"x": 1, "y": "two"}', "(given: 'two')"),
        ("{" * 300_000, "300000 characters"),
        ("{[" * 2_000, "holds no JSON object"),
        ('{"x": ' + "[" * 600 + "]" * 600 + "}", "nested too deeply to be repaired"),
        ('{"x": ' * 600 + "1" + "}" * 600, "nested too deeply to be repaired"),
        ('{"x": 1, "```json 2[: {"s```j4}}', "could not be repaired"),
        ('{"x": NaN}', "x is written as 'NaN'; write the number alone"),
    ],
)
def test_what_cannot_be_read_is_said_in_words(text: str, words: str) -> None:
    with pytest.raises(Complaint) as caught:
        read_shape(text, Point)
    assert words in str(caught.value)
