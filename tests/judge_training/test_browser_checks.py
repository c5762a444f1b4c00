"""Double check of a judge's data in the browser: what is shown, that each answer is kept, and what becomes of it."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from medassay.flows.serve.access import annotator_key, form_key
from medassay.flows.serve.hosts import hosts_of
from medassay.flows.serve.reports_server import serving_reports
from medassay.models.judge_training.experts import item_of
from medassay.models.judge_training.folder import JudgeData, read_data_folder, write_data
from medassay.models.judge_training.records import CRITERIA
from medassay.models.usage import UsageError
from medassay.sql.warehouse import close_warehouse, warehouse_at
from medassay.tasks.judge_training.browser_checks import CheckedData
from medassay.tasks.judge_training.checks import import_checks, stored_checks
from medassay.tasks.run import home_lock
from tests.judge_training.test_quality import case
from tests.pages import ask

KEY = "0123456789abcdef"


@pytest.fixture
def checked(home: Path, tmp_path: Path) -> Iterator[CheckedData]:
    warehouse_at(home)
    cases = [case(n, order=order) for n in range(4) for order in (0, 1)]
    parts = {one.question_id: one.strength for one in cases}
    write_data(tmp_path / "data", JudgeData(cases, parts, [], {"data": "made"}))  # type: ignore[arg-type]
    yield CheckedData(home, tmp_path / "data")
    close_warehouse(home)


def test_cases_are_checked_behind_a_link_and_reach_the_homes_checks(checked: CheckedData) -> None:
    home = checked.home
    own = f"/a/ann/{annotator_key(KEY, 'ann')}/cases"
    order = list(checked.items)
    assert len({checked.items[item].question_id for item in order[:4]}) == 4  # one a question first
    with serving_reports("127.0.0.1", 0, home, KEY, hosts_of("127.0.0.1"), checked=checked) as port:
        status, page = ask(port, f"{own}/")
        first = checked.items[order[0]]
        assert status == 200 and "0 of 8 done" in page and "Doctor 2" in page
        assert first.responses[0] in page.replace("&#39;", "'") and f'data-item="{order[0]}"' in page
        form = {"form_key": form_key(annotator_key(KEY, "ann")), "item": order[0]}
        for criterion in CRITERIA:
            said = "2" if criterion == "fluency" else "1"
            status, told = ask(port, f"{own}/score", {**form, "aspect": criterion, "score": said})
        assert (status, json.loads(told)) == (200, {"done": 1, "of": 8})
        assert ask(port, f"{own}/score", {**form, "aspect": "fluency", "score": "3"})[0] == 409
        assert (
            ask(port, f"{own}/score", {**form, "form_key": "x", "aspect": "fluency", "score": "1"})[0] == 403
        )
        assert ask(port, f"/a/bob/{annotator_key(KEY, 'ann')}/cases/")[0] == 403
        assert f'data-item="{order[1]}"' in ask(port, f"{own}/")[1]
        other = {
            "form_key": form_key(annotator_key(KEY, "bob")),
            "item": order[0],
            **dict.fromkeys(CRITERIA, "1"),
        }
        assert ask(port, f"/a/bob/{annotator_key(KEY, 'bob')}/cases/score", other)[0] == 200
        assert "ann and bob" in ask(port, f"{own}/")[1]
    # Leaving takes what is left.
    with home_lock(home, "(test)"):
        assert stored_checks(warehouse_at(home)) == {
            first.case_id: {
                "ann": {"medical_knowledge": True, "no_misattribution": True, "fluency": False},
                "bob": dict.fromkeys(CRITERIA, True),
            }
        }
    assert [(one["criterion"], one["n"], one["agree"]) for one in checked.agreement()] == [
        ("medical_knowledge", 1, 1.0), ("no_misattribution", 1, 1.0), ("fluency", 1, 0.0),
    ]  # fmt: skip


def test_checks_of_sheets_count_and_those_that_tell_most_come_first(checked: CheckedData) -> None:
    """Half of the cases are of a weak evaluator, of whom nobody has checked any."""
    home, cases = checked.home, checked.data.cases
    cases = [replace(one, strength="weak" if n >= 4 else "strong") for n, one in enumerate(cases)]
    write_data(home / "mixed", replace(checked.data, cases=cases))
    with home_lock(home, "(test)"):
        said = {item_of(case): dict.fromkeys(CRITERIA, True) for case in cases[:2]}
        import_checks(warehouse_at(home), cases, said, "ann")
    close_warehouse(home)
    telling = CheckedData(home, home / "mixed", "telling")
    assert [case.strength for case in telling.items.values()][:1] == ["weak"]
    assert [case.case_id for case in telling.items.values()][-2:] == [case.case_id for case in cases[:2]]
    assert len({case.question_id for case in list(telling.items.values())[:3]}) == 3
    assert (telling.work_of("ann").n_done, telling.work_of("bob").n_done) == (2, 0)
    telling.check("ann", item_of(cases[0]), "fluency", "2")
    telling.check("bob", item_of(cases[0]), "fluency", "1")
    assert telling.work_of("ann").said[item_of(cases[0])]["fluency"] is False
    assert telling.work_of("ann").n_done == 2
    # A sheet that comes after clicks were taken in replaces them.
    telling.take()
    with home_lock(home, "(test)"):
        import_checks(warehouse_at(home), cases, {item_of(cases[0]): {"fluency": True}}, "ann")
    close_warehouse(home)
    assert CheckedData(home, home / "mixed").work_of("ann").said[item_of(cases[0])]["fluency"] is True


def test_without_data_of_a_judge_there_are_no_cases_and_a_home_that_is_held_takes_none(
    checked: CheckedData,
) -> None:
    with serving_reports("127.0.0.1", 0, checked.home, KEY, hosts_of("127.0.0.1")) as port:
        assert ask(port, f"/a/ann/{annotator_key(KEY, 'ann')}/cases/")[0] == 409
    for item, criterion, said in (("c0", "fluency", "1"), (next(iter(checked.items)), "charm", "1")):
        with pytest.raises(UsageError):
            checked.check("ann", item, criterion, said)
    data = checked.data
    unscored = JudgeData([], data.parts, data.drops, data.card)
    write_data(checked.home / "none", unscored)
    assert read_data_folder(checked.home / "none").cases == []
    with pytest.raises(UsageError, match="no case has scores to check"):
        CheckedData(checked.home, checked.home / "none")
