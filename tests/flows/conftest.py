"""A Prefect server for the flows' tests, and small data to run them on."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.rows import write_tables

Tables = dict[str, list[dict[str, Any]]]


@pytest.fixture
def tables() -> Tables:
    """Return the worked example of metformin as tables that a test may change."""
    nuggets = [
        "Gastrointestinal symptoms are the most common side effects of metformin",
        "Metformin can cause lactic acidosis in rare cases",
        "Metformin may lead to vitamin B12 deficiency with long-term use",
        "Diarrhea, nausea, and abdominal pain are frequent GI side effects",
        "Lactic acidosis risk increases with renal impairment",
    ]
    answer = (
        "Metformin commonly causes gastrointestinal issues such as diarrhea and nausea [doc-1]. "
        "Lactic acidosis is a serious but rare complication [7]. Metformin can cause weight gain in some patients."
    )
    return {
        "questions": [
            {"question_id": "q1", "question": "What are the side effects of metformin?", "nuggets": nuggets}
        ],
        "answers": [{"question_id": "q1", "system": "one", "answer": answer}],
        "documents": [
            {"id": "doc-1", "title": "Metformin", "text": "Metformin often causes nausea and diarrhoea."}
        ],
    }


@pytest.fixture
def write(tmp_path: Path) -> Callable[[Tables], Path]:
    """Return a function that writes tables as JSON lines into one folder, and returns the folder."""
    return lambda tables: write_tables(tmp_path / "metformin", **tables)


@pytest.fixture(scope="session")
def prefect_server(needs_the_embedder: None) -> Iterator[None]:
    """Run a Prefect server of the tests' own."""
    from medassay.flows.engine import prepare_prefect

    prepare_prefect()
    from prefect.settings import PREFECT_FLOWS_HEARTBEAT_FREQUENCY, temporary_settings
    from prefect.testing.utilities import prefect_test_harness

    with (
        prefect_test_harness(server_startup_timeout=120),
        temporary_settings({PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None}),
    ):
        yield
