"""Scores given in the browser: what is shown, that each click is kept, and that it reaches the home's scores."""

import contextlib
import http.client
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from medassay.flows.serve.access import annotator_key, form_key
from medassay.flows.serve.hosts import hosts_of
from medassay.flows.serve.reports_server import WITHOUT_KEY, serving_reports
from medassay.models.people.aspects import BROWSER_ASPECTS
from medassay.models.usage import UsageError
from medassay.sql.snapshot import publish
from medassay.sql.warehouse import close_warehouse, warehouse_at
from medassay.tasks.people.clicks import journal
from medassay.tasks.people.in_browser import (
    agreement,
    click,
    disputed,
    take_clicks,
    task_of,
    try_to_take_clicks,
    work_of,
)
from medassay.tasks.run import home_lock
from tests.pages import ask
from tests.published_home import publish_runs
from tests.waits import until

KEY = "0123456789abcdef"
STATES = {(f"q{n}", system): ["covered"] for n in (1, 2, 3) for system in ("good", "bad")}
NAMES = [aspect.name for aspect in BROWSER_ASPECTS]


@pytest.fixture
def answered(home: Path) -> Iterator[Path]:
    publish_runs(home, {"r1": STATES})
    yield home
    close_warehouse(home)


def stored(home: Path) -> dict[tuple[str, str, str, str], float]:
    """Scores in the warehouse by annotator, question, system and aspect."""
    with home_lock(home, "(test)"):
        rows = warehouse_at(home).rows(
            "select annotator, question_id, system, metric, score from human_score"
        )
    return {(r["annotator"], r["question_id"], r["system"], r["metric"]): r["score"] for r in rows}


def give(home: Path, annotator: str, scores: dict[int, int]) -> None:
    """Score the answers at these places on every aspect."""
    task = task_of(home, None)
    work = work_of(home, task, annotator)
    for place, score in scores.items():
        for name in NAMES:
            click(home, task, work, annotator, list(work.items)[place], name, str(score))


def test_answers_come_in_an_order_that_tells_nothing_and_is_the_same_for_all(answered: Path) -> None:
    task = task_of(answered, None)
    work = work_of(answered, task, "ada")
    assert sorted(work.items.values()) == sorted(STATES)
    assert list(work.items.values()) != sorted(STATES)
    assert work.items == work_of(answered, task, "ben").items
    telling = work_of(answered, task_of(answered, "r1", "telling"), "ada")
    assert sorted(telling.items) == sorted(work.items)
    # The first labels go to as many questions as there are.
    assert len({question for question, _ in list(telling.items.values())[:3]}) == 3


def test_a_click_is_kept_at_once_and_reaches_the_homes_scores_when_no_run_holds_it(answered: Path) -> None:
    give(answered, "ada", {0: 4})
    item, (question, system) = next(iter(work_of(answered, task_of(answered, None), "ada").items.items()))
    with home_lock(answered, "r9"):
        assert try_to_take_clicks(answered) is False
        assert work_of(answered, task_of(answered, None), "ada").scores == {item: dict.fromkeys(NAMES, 4.0)}
    assert take_clicks(answered) == []
    assert stored(answered) == {("ada", question, system, name): 4.0 for name in NAMES}
    # A score of a sheet that came later is not taken back by clicks that were taken before.
    with home_lock(answered, "(test)"):
        warehouse_at(answered).execute("update human_score set score = 2 where metric = 'fluency'")
    take_clicks(answered)
    assert stored(answered)["ada", question, system, "fluency"] == 2.0
    journal(answered, "r1", "ada").add("ada", item, "fluency", 5.0)
    take_clicks(answered)
    assert stored(answered)["ada", question, system, "fluency"] == 5.0


def test_a_line_that_a_kill_cut_off_spoils_neither_what_was_before_nor_what_comes(answered: Path) -> None:
    clicks = journal(answered, "r1", "ada")
    clicks.add("ada", "a1", "fluency", 3.0)
    with clicks.path.open("ab") as file:
        file.write(b'{"annotator": "ada", "item": "a1", "asp')
    assert clicks.scores() == {"a1": {"fluency": 3.0}}
    clicks.add("ada", "a1", "safety", 4.0)
    assert clicks.scores() == {"a1": {"fluency": 3.0, "safety": 4.0}}


@pytest.mark.parametrize(
    ("item", "aspect", "score"),
    [
        ("a0", "fluency", "3"),
        ("", "charm", "3"),
        ("", "fluency", "6"),
        ("", "fluency", "³"),
        ("", "fluency", ""),
    ],
)
def test_what_is_no_score_is_refused(answered: Path, item: str, aspect: str, score: str) -> None:
    task = task_of(answered, None)
    work = work_of(answered, task, "ada")
    with pytest.raises(UsageError):
        click(answered, task, work, "ada", item or next(iter(work.items)), aspect, score)
    assert not journal(answered, "r1", "ada").path.exists()


def test_agreement_grows_with_the_scores(answered: Path) -> None:
    task = task_of(answered, None)
    give(answered, "ada", {0: 1, 1: 3, 2: 5})
    assert agreement(answered, task, ["ada"])[1][0].alpha.reason == "one annotator is no agreement"
    give(answered, "ben", {0: 1, 1: 3, 3: 2})
    done, agreed = agreement(answered, task, ["ada", "ben"])
    assert done == {"ada": 3, "ben": 3}
    assert [(one.label, one.alpha.value, one.kappa, one.alpha.n) for one in agreed] == [
        (aspect.label, 1.0, 1.0, 2) for aspect in BROWSER_ASPECTS
    ]


def dispute(home: Path) -> None:
    """Have the nugget of each answer of `bad` be in dispute."""
    with home_lock(home, "(test)"):
        warehouse = warehouse_at(home)
        warehouse.execute("update mart.nugget_state set ambiguous = true where system = 'bad'")
        publish(warehouse, home, "r1")


def test_a_nugget_in_dispute_is_decided_on_the_answers_page(answered: Path) -> None:
    dispute(answered)
    task = task_of(answered, None)
    work = work_of(answered, task, "ada")
    bad = next(item for item, (_, system) in work.items.items() if system == "bad")
    good = next(item for item, (_, system) in work.items.items() if system == "good")
    question, _ = work.items[bad]
    assert disputed(answered, task, work, bad) == [("nugget:n1", f"Fact 0 of {question}.")]
    assert disputed(answered, task, work, good) == []
    for item, aspect, score in ((bad, "nugget:n1", "5"), (bad, "nugget:n2", "1"), (good, "nugget:n1", "1")):
        with pytest.raises(UsageError):
            click(answered, task, work, "ada", item, aspect, score)
    click(answered, task, work, "ada", bad, "nugget:n1", "4")
    click(answered, task, work, "ada", bad, "fluency", "2")
    click(answered, task, work, "ben", bad, "nugget:n1", "4")
    assert take_clicks(answered) == []
    with home_lock(answered, "(test)"):
        rows = warehouse_at(answered).rows(
            "select annotator, question_id, system, target, item, label, score from human_score order by all"
        )
    of_nugget = {
        "question_id": question,
        "system": "bad",
        "target": "nugget",
        "item": f"Fact 0 of {question}.",
    }
    assert rows == [
        {"annotator": "ada", "question_id": question, "system": "bad", "target": "answer", "item": "", "label": None,
         "score": 2.0},
        {"annotator": "ada", **of_nugget, "label": "contradicted", "score": None},
        {"annotator": "ben", **of_nugget, "label": "contradicted", "score": None},
    ]  # fmt: skip
    last = agreement(answered, task, ["ada", "ben"])[1][-1]
    assert (last.label, last.alpha.n) == ("Disputed nuggets", 1)
    with serving_reports("127.0.0.1", 0, answered, KEY, hosts_of("127.0.0.1")) as port:
        _, page = ask(port, f"/a/ada/{annotator_key(KEY, 'ada')}/?item={bad}")
        assert 'name="nugget:n1" value="4" checked' in page and "says the opposite" in page
        assert "Disputed nuggets" in ask(port, f"/{KEY}/annotate?run=r1")[1]


def test_an_annotators_link_leads_to_their_own_scores_and_nowhere_else(answered: Path) -> None:
    own = f"/a/ada%20l/{annotator_key(KEY, 'ada l')}"
    with serving_reports("127.0.0.1", 0, answered, KEY, hosts_of("127.0.0.1")) as port:
        status, page = ask(port, f"{own}/")
        assert status == 200 and "0 of 6 done" in page and "severe harm is likely" in page
        assert "good" not in page.partition("<main")[2].partition("Claims, and what")[0].replace(
            "good on", ""
        )
        for path in (
            "/a/ben/" + annotator_key(KEY, "ada l") + "/",
            "/a/ada%20l/" + "0" * 32 + "/",
            f"/{KEY}/a/ada l/",
        ):
            assert ask(port, path.replace(" ", "%20")) == (403, WITHOUT_KEY)
        assert [ask(port, f"{own}/{path}")[0] for path in ("r1.html", "annotate", "side?run=r1")] == [404] * 3
        item = next(iter(work_of(answered, task_of(answered, None), "ada l").items))
        form = {"form_key": form_key(annotator_key(KEY, "ada l")), "run": "r1", "item": item}
        for name in NAMES:
            status, said = ask(port, f"{own}/score", {**form, "aspect": name, "score": "4"})
        assert (status, json.loads(said)) == (200, {"done": 1, "of": 6})
        assert (
            ask(port, f"{own}/score", {**form, "form_key": "x", "aspect": "fluency", "score": "1"})[0] == 403
        )
        assert ask(port, f"{own}/score", {**form, "aspect": "fluency", "score": "9"})[0] == 409
        assert "1 of 6" in ask(port, f"/{KEY}/annotate?run=r1")[1]
        assert (
            f"a/ben/{annotator_key(KEY, 'ben')}/?run=r1" in ask(port, f"/{KEY}/annotate?run=r1&name=ben")[1]
        )
    # Leaving takes what is left.
    assert set(stored(answered).values()) == {4.0}


def test_two_annotators_at_once_and_a_server_killed_in_between_lose_no_click(
    answered: Path, tmp_path: Path
) -> None:
    """Whatever was answered with 200 is in the home's scores after the next server."""
    code = (
        "import sys, time; from pathlib import Path;"
        "from medassay.flows.serve.reports_server import serving_reports;"
        "from medassay.flows.serve.hosts import hosts_of;\n"
        f"with serving_reports('127.0.0.1', 0, Path({str(answered)!r}), {KEY!r}, hosts_of('127.0.0.1')) as port:\n"
        "    print(port, flush=True); time.sleep(600)"
    )
    server = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    port = int(server.stdout.readline())
    items = list(work_of(answered, task_of(answered, None), "").items.items())
    saved: dict[tuple[str, str, str, str], float] = {}

    def annotate(name: str) -> None:
        form: dict[str, Any] = {"form_key": form_key(annotator_key(KEY, name)), "run": "r1"}
        for turn in range(1000):
            item, (question, system) = items[turn % len(items)]
            aspect, score = NAMES[turn % len(NAMES)], 1 + turn % 5
            try:
                sent = {**form, "item": item, "aspect": aspect, "score": score}
                status, _ = ask(port, f"/a/{name}/{annotator_key(KEY, name)}/score", sent)
            except (OSError, http.client.HTTPException):
                return
            assert status == 200
            saved[name, question, system, aspect] = float(score)

    people = [Thread(target=annotate, args=(name,)) for name in ("ada", "ben")]
    for person in people:
        person.start()
    while len(saved) < 16:
        time.sleep(0.05)
    os.kill(server.pid, signal.SIGKILL)
    for person in people:
        person.join()
    server.wait()
    server.stdout.close()
    take_clicks(answered)
    found = stored(answered)
    assert {place for place, score in saved.items() if found.get(place) != score} == set()
    assert {name for name, *_ in saved} == {"ada", "ben"}


PRESS = """
const fields = [...document.querySelectorAll("fieldset")];
let n = 0;
window.pressing = setInterval(() => {
  const scale = fields[n % fields.length].querySelectorAll("input");
  scale[Math.floor(n++ / fields.length) % scale.length].click();
}, 20);
"""


@pytest.mark.browser
def test_two_annotators_at_once_and_a_browser_killed_in_mid_click_lose_nothing(
    answered: Path, tmp_path: Path
) -> None:
    """What a browser showed as saved is kept, the other annotator goes on, and the killed one finds it all again."""
    from benchmarks.axe import browser

    pytest.importorskip("selenium", reason="selenium is not installed")
    if not shutil.which("chromium") or not shutil.which("chromedriver"):
        pytest.skip("Chromium or its driver is not on this machine")
    dispute(answered)
    drivers = {name: browser(str(tmp_path / name)) for name in ("ada", "ben")}
    try:
        with serving_reports("127.0.0.1", 0, answered, KEY, hosts_of("127.0.0.1")) as port:
            pages = {
                name: f"http://127.0.0.1:{port}/a/{name}/{annotator_key(KEY, name)}/?run=r1"
                for name in drivers
            }
            for name, driver in drivers.items():
                driver.get(pages[name])
                driver.execute_script(PRESS)
            clicks = {name: journal(answered, "r1", name) for name in drivers}
            until(lambda: min(len(list(one.lines())) for one in clicks.values()) >= 4)
            os.kill(drivers["ada"].capabilities["goog:processID"], signal.SIGKILL)
            before = len(list(clicks["ben"].lines()))
            until(lambda: len(list(clicks["ben"].lines())) >= before + 3)
            drivers["ben"].execute_script("clearInterval(window.pressing)")
            until(lambda: drivers["ben"].find_element("id", "saved").text == "Saved.")
            written = clicks["ada"].path.read_bytes()
            assert written.endswith(b"\n") and len(list(clicks["ada"].lines())) == written.count(b"\n") >= 4
            ((item, scores),) = clicks["ada"].scores().items()
            drivers["ben"].get(f"{pages['ada']}&item={item}")  # ada, on another machine
            shown = drivers["ben"].execute_script(
                "return [...document.querySelectorAll('input:checked')].map((one) => [one.name, +one.value])"
            )
            assert dict(shown) == scores
    finally:
        for driver in drivers.values():
            with contextlib.suppress(Exception):
                driver.quit()
    found = stored(answered)
    for name in drivers:
        ((item, scores),) = clicks[name].scores().items()
        question, system = work_of(answered, task_of(answered, None), name).items[item]
        kept = {aspect: found[name, question, system, aspect] for aspect in NAMES if aspect in scores}
        assert kept == {aspect: score for aspect, score in scores.items() if aspect in NAMES}
