"""Names that look alike are told of, and not merged."""

from pathlib import Path

import pytest

from medassay.models.intake import Intake, read_data
from medassay.models.intake.look_alikes import skeleton
from tests.rows import write_tables


@pytest.mark.parametrize(
    "name",
    [
        "GPT\u20114o", "GPT\u20134o", "GPT\u22124o", "GPT\u00ad-4o", "GPT-4\u043e", "\u0413PT-4o".replace("\u0413", "G"),
        "G\u0420T-4o", "GP\u03a4-4o", "GPT-4o\u200b", "\ufeffGPT-4o", "GPT\u200d-4o", "GPT\u00a04o", "gpt-4O", "GPT 4o", "GPT_4o",
        "ＧＰＴ-4o", "GPT  4o",
    ],
)  # fmt: skip
def test_names_with_one_look_have_one_skeleton(name: str) -> None:
    assert skeleton(name) == skeleton("GPT-4o") == "gpt-4o"


@pytest.mark.parametrize("name", ["GPT-4", "GPT-40", "GPT4o", "GPT-4o-mini", "GPT-4ö", "GPT.4o", "Г-4o"])
def test_other_names_have_another(name: str) -> None:
    assert skeleton(name) != skeleton("GPT-4o")


def test_look_alike_systems_are_named_in_one_line_and_stay_apart(tmp_path: Path) -> None:
    systems = ["GPT-4o", "GPT\u20114o", "GPT-4\u043e", "GPT-4o\u200b", "gpt-4o", "Llama"]
    write_tables(
        tmp_path,
        questions=[{"question_id": "q-1", "question": "Why?"}, {"question_id": "q-2", "question": "How?"}],
        answers=[{"question_id": "q-1", "system": system, "answer": "So."} for system in systems]
        + [{"question_id": "q\u20112", "system": "Llama", "answer": "So."}],
        human_scores=[
            {
                "question_id": "q-1",
                "system": "Llama",
                "annotator": name,
                "metric": "m",
                "score": 1,
                "role": "test",
            }
            for name in ("A", "a")
        ],
    )
    data = read_data(tmp_path)
    rows = [row for row in data.rows if isinstance(row, Intake)]
    assert sorted({row.value["system"] for row in rows if row.kind == "answer"}) == sorted(systems)
    end = "where they are one, write one name"
    assert [line for line in data.warnings if "look alike" in line] == [
        "systems that look alike are told apart: 'GPT-4o', 'GPT\u20114o' (U+2011 NON-BREAKING HYPHEN), 'GPT-4\u043e' (U+043E"
        f" CYRILLIC SMALL LETTER O), 'GPT-4o' (U+200B ZERO WIDTH SPACE), 'gpt-4o'; {end}",
        f"question ids that look alike are told apart: 'q-2', 'q\u20112' (U+2011 NON-BREAKING HYPHEN); {end}",
        f"annotators that look alike are told apart: 'A', 'a'; {end}",
    ]
