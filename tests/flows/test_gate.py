"""A gate at the end of the flow: a red run is a state that says which rule was broken."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.prefect, pytest.mark.usefixtures("prefect_server")]


def test_a_run_that_breaks_its_gate_is_published_and_ends_red(
    home: Path, tables: dict[str, Any], write: Callable[..., Path], tmp_path: Path
) -> None:
    from medassay.flows.evaluate import evaluate

    gate = tmp_path / "medassay.toml"
    gate.write_text("[gate]\nfail_on = []\n[gate.bounds]\nnugget_coverage = '>= 0.9'\n")
    chosen: dict[str, Any] = {
        "judge": "none",
        "reader": "none",
        "matcher": "cosine",
        "offline": True,
        "home": str(home),
    }
    state = evaluate(str(write(tables)), gate=str(gate), return_state=True, **chosen)
    record = json.loads((home / "gate.json").read_text("utf-8"))
    assert (state.name, str(state.message).splitlines()) == (
        "Failed",
        [
            f"run {record['run_id']} did not pass its gate",
            "nugget_coverage of one is 0.200 (1 question); at least 0.9 was asked for",
        ],
    )
    gate.write_text("[gate]\nquestions = ['q1']\n")
    assert evaluate(str(write(tables)), gate=str(gate), **chosen)["n_answers"] == 1
    gate.write_text("[gate]\nfail_on = ['nothing']\n")
    with pytest.raises(Exception, match="gate.fail_on names 'nothing'"):
        evaluate(str(write(tables)), gate=str(gate), **chosen)
