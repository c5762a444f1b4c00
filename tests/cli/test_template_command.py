"""`medassay template`, and what comes back of it; proxies that no client can speak to."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from medassay.flows.commands.templates import template
from medassay.flows.engine import drop_socks_proxies
from medassay.models.intake import Intake, read_data


def test_a_filled_template_is_read(tmp_path: Path) -> None:
    file = tmp_path / "sheet.csv"
    made = CliRunner().invoke(template, [str(file), "--system", "m1", "--system", "m2"])
    assert made.exit_code == 0
    with file.open("a", encoding="utf-8") as sheet:
        sheet.write("1,Is it?,It is.,Yes.,No.\n")
    rows = [(row.kind, row.value) for row in read_data(file).rows if isinstance(row, Intake)]
    assert rows == [
        ("question", {"question_id": "1", "question": "Is it?", "reference_answer": "It is."}),
        ("answer", {"question_id": "1", "system": "m1", "answer": "Yes."}),
        ("answer", {"question_id": "1", "system": "m2", "answer": "No."}),
    ]
    again = CliRunner().invoke(template, [str(file)])
    assert (again.exit_code, again.stderr) == (2, f"{file} is there already; name another file\n")


def test_a_proxy_that_no_client_speaks_to_is_left_aside(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.util
    import os

    if importlib.util.find_spec("socksio") is not None:
        pytest.skip("this installation speaks to SOCKS proxies")
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:9")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    assert drop_socks_proxies() == [
        "ALL_PROXY: a SOCKS proxy, which is not used; pip install socksio, and it is"
    ]
    assert "ALL_PROXY" not in os.environ and "HTTP_PROXY" in os.environ
