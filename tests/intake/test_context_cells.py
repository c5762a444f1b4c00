"""Retrieved contexts in one cell: taken apart where it is sure what is meant, named where it is not."""

import json
from pathlib import Path
from typing import Any

import pytest

from medassay.models.intake import BadRow, Intake, read_data
from medassay.models.intake.context_cells import contexts_in

A, B = (
    "Drug Gamma halved the patient's risk of stroke.",
    "| Dose | Rate |\n| --- | --- |\n| 5 mg | 2 percent |",
)
DOCUMENT = (
    f"Document(metadata={{'source': 'a.pdf', 'date': datetime.datetime(2024, 1, 1)}}, page_content={A!r})"
)
NODE = (
    "NodeWithScore(node=TextNode(id_='1', embedding=None, metadata={},"
    " relationships={<NodeRelationship.SOURCE: '1'>: RelatedNodeInfo(node_id='x', node_type=<ObjectType.DOCUMENT: '4'>)},"
    " text={0!r}), score=np.float64(0.83))"
)
CELLS = {
    "JSON": json.dumps([A, B]),
    "JSON objects": json.dumps([{"page_content": A}, {"text": B, "score": 0.5}]),
    "JSON in JSON": json.dumps(json.dumps([A, B])),
    "JSON with line ends in its texts": f'["{A}", "{B}"]',
    "Python": str([A, B]),
    "Python tuple": str((A, B)),
    "Python objects": str(
        [{"page_content": A, "metadata": {"source": "a.pdf"}}, {"page_content": B, "id": None}]
    ),
    "with nothing among them": str([A, None, B, ""]).replace("None", "nan"),
    "numpy": f"[{A!r}\n {B!r}]",
    "numpy objects": f"[{ ({'content': A}) } { ({'content': B}) }]",
    "numpy array": f"array([{A!r}, {B!r}], dtype=object)",
    "LangChain": f"[{DOCUMENT}, Document(id='2', page_content={B!r}, metadata={{}})]",
    "LlamaIndex": f"[{NODE.replace('{0!r}', repr(A))}, {NODE.replace('{0!r}', repr(B))}]",
    "LlamaIndex 0.12": f"[NodeWithScore(node=TextNode(text_resource=MediaResource(text={A!r}))), {{'text': {B!r}}}]",
    "DeepEval's pipe": f"{A}|{B}",
    "DeepEval's semicolon": f"{A};{B}",
    "a pipe behind a table": f"{B}|{A}",
    "SEP": f"{A} [SEP] {B}",
    "quotes that Word turned": "[“" + A + "”, “" + B + "”]",
}


def read(folder: Path, form: str, cell: Any) -> tuple[list[Any] | None, list[str], list[str]]:
    """Return the contexts that are read of a row, the rules that it broke, and what was said."""
    row = {"user_input": "Why?", "response": "It halves it.", "retrieved_contexts": cell}
    if form == "csv":
        quoted = (f'"{str(value).replace(chr(34), chr(34) * 2)}"' for value in row.values())
        (folder / "data.csv").write_text(f"{','.join(row)}\n{','.join(quoted)}\n", "utf-8")
    else:
        (folder / "data.jsonl").write_text(json.dumps(row) + "\n", "utf-8")
    data = read_data(folder / f"data.{form}")
    rows = list(data.rows)
    answer = next(row.value for row in rows if isinstance(row, Intake) and row.kind == "answer")
    rules = [f"{row.rule}: {row.observed}" for row in rows if isinstance(row, BadRow)]
    return (
        answer.get("contexts") or None,
        rules,
        [w.split(": ", 1)[1] for w in data.warnings if "contexts of" in w],
    )


@pytest.mark.parametrize("form", ["csv", "jsonl"])
@pytest.mark.parametrize("cell", CELLS.values(), ids=CELLS)
def test_two_contexts_are_two(tmp_path: Path, form: str, cell: str) -> None:
    contexts, rules, said = read(tmp_path, form, cell)
    assert contexts == ([B, A] if cell.startswith(B) else [A, B])
    assert (rules, said) == ([], [])


NOTHING = ["nan", "NaN", "None", "null", "[]", "[nan]", "[None]", "['']", '[""]', "N/A", "-", " "]


@pytest.mark.parametrize("form", ["csv", "jsonl"])
@pytest.mark.parametrize("cell", NOTHING)
def test_nothing_is_no_context(tmp_path: Path, form: str, cell: str) -> None:
    assert read(tmp_path, form, cell) == (None, [], [])


@pytest.mark.parametrize("cell", [[], [None], ["nan"], [""], None])
def test_a_list_of_nothing_is_no_context(tmp_path: Path, cell: Any) -> None:
    assert read(tmp_path, "jsonl", cell) == (None, [], [])


@pytest.mark.parametrize(
    ("cell", "why"),
    [
        (f"[{A!r}, 'Drug Gam", f"it is cut off, of {len(repr(A)) + 12} characters: [{A!r}, 'Drug Gam"[:120]),
        (f"[{A!r}, 'Drug Gam...", "it is cut off"),
        (f"[{A!r} ... {A!r}]", "it is cut off"),
        ("[" + "'x', " * 6553 + "'", "it is cut off, of 32,767 characters"),
        (f"[{A!r}; {A!r}]", "it is neither JSON nor Python"),
    ],
)  # fmt: skip
def test_a_list_that_cannot_be_read_is_quarantined_and_its_answer_stays(
    tmp_path: Path, cell: str, why: str
) -> None:
    contexts, rules, said = read(tmp_path, "csv", cell)
    assert (contexts, len(rules), said) == (None, 1, [])
    assert rules[0].startswith("the contexts are no list: ")


@pytest.mark.parametrize(
    ("cell", "why"),
    [
        ("Stroke;Bleeding", "`;` without blanks may part it"),
        ("Stroke|Bleeding", "`|` without blanks may part it"),
        ("|a|b|\n|-|-|\n|1|2|", "`|` without blanks may part it"),
        ("It helps (Smith et al.;Jones et al.).", "`;` without blanks may part it"),
        ("It helps.; It harms.", "`;` or `|` may part it"),
        ("It helps | It harms", "`;` or `|` may part it"),
        ("It helps.\n\nIt harms.", "empty lines or rules may part it"),
        ("It helps.\n---\nIt harms.", "empty lines or rules may part it"),
        ("[1] It helps.\n[2] It harms.", "it numbers its parts"),
        ("Context 1: It helps.\nContext 2: It harms.", "it numbers its parts"),
    ],
)
def test_what_may_be_several_is_read_as_one_and_said(tmp_path: Path, cell: str, why: str) -> None:
    contexts, rules, said = read(tmp_path, "csv", cell)
    assert (contexts, rules) == ([cell], [])
    assert said == [
        f"the contexts of 1 answer are read as they stand, and {why} (such as {tmp_path / 'data.csv'}:2); if they are"
        " several, write a JSON list of texts"
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Aspirin lowers the risk; it may cause bleeding.", B, "Levels &lt;5 mg rose (see &amp; above).",
        "[In this trial] aspirin helped [1].", "(See above) aspirin helped.", '("Lisinopril") is an ACE inhibitor.',
        "[HbA1c(%) fell] by one.", "1. Rest.",
    ],
)  # fmt: skip
def test_prose_and_a_table_are_one_context(tmp_path: Path, text: str) -> None:
    assert read(tmp_path, "csv", text) == ([text], [], [])


def test_texts_of_a_list_are_not_taken_apart() -> None:
    texts = [f"{A};{A}", "['a', 'b']", "It helps.\n\nIt harms."]
    assert contexts_in(texts).listed == texts
    assert contexts_in([f"page_content={A!r} metadata={{'page': 1}}", "b"]).listed == [A, "b"]


def test_an_object_without_a_text_is_said(tmp_path: Path) -> None:
    contexts, _, said = read(tmp_path, "jsonl", [{"chunk_no": 3}, {"text": A}])
    assert contexts == [A]
    assert said[0].startswith(
        "the contexts of 1 answer are read as they stand, and 1 object without a text is left out"
    )
    contexts, _, said = read(tmp_path, "csv", '{"resourceType": "Patient"}')
    assert (contexts, len(said)) == (None, 1)


def test_other_lists_of_objects_in_cells_are_read_as_python_prints_them(tmp_path: Path) -> None:
    nuggets = [{"text": "It's safe.", "importance": "vital"}, "It works."]
    references = [{"pmid": "1", "title": "On rest"}, {"url": "https://a.example"}]
    (tmp_path / "questions.csv").write_text(
        f'question_id,question,nuggets\nq,Why?,"{nuggets}"\n'.replace("\"It's", '""It\'s').replace(
            'safe."', 'safe.""'
        ),
        "utf-8",
    )
    (tmp_path / "answers.csv").write_text(
        f'question_id,system,answer,references\nq,s,It is [1].,"{references}"\n', "utf-8"
    )
    found = {row.kind: row.value for row in read_data(tmp_path).rows if isinstance(row, Intake)}
    assert found["question"]["nuggets"] == nuggets
    assert found["answer"]["references"] == references
