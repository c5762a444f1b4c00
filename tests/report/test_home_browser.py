"""The home of runs in a real browser: found, compared, scored by keyboard, and handed words that attack it."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from medassay.flows.serve.annotation_pages import link, named
from medassay.flows.serve.hosts import hosts_of
from medassay.flows.serve.reports_server import serving_reports
from medassay.models.judge_training.folders import write_json
from medassay.models.judge_training.introspection import Review, write_reviews
from medassay.models.judge_training.records import write_cases
from medassay.models.people.aspects import BROWSER_ASPECTS
from medassay.sql.warehouse import close_warehouse
from medassay.tasks.browsing.runs import runs_shown
from medassay.tasks.browsing.tags import tags_of
from medassay.tasks.judge_training.jury_votes import with_votes
from medassay.tasks.people.clicks import journal
from tests.judge_training.world import world_cases
from tests.published_home import publish_runs
from tests.waits import until_page

pytestmark = pytest.mark.browser

KEY = "0123456789abcdef"
ATTACK = "</script><script>window.pwned=1</script><img src=x onerror='window.pwned=2'>\"' onfocus=window.pwned=3 x='{{ 7*7 }}"
STATES = {
    (question, system): ["contradicted", "covered"]
    for question in ("q1", ATTACK)
    for system in ("good", ATTACK)
}


@pytest.fixture(scope="module")
def served(shared_home: Path) -> Iterator[tuple[Path, str]]:
    names = {"r1": {"name": ATTACK, "dataset": ATTACK}, "r2": {"name": "nightly", "dataset": ATTACK}}
    publish_runs(shared_home, {"r1": STATES, "r2": STATES, "r3": STATES}, **names)
    (shared_home / "run-tags.json").write_text('{"r3": ["baseline"]}')
    with serving_reports("127.0.0.1", 0, shared_home, KEY, hosts_of("127.0.0.1")) as port:
        yield shared_home, f"http://127.0.0.1:{port}/{KEY}/"
    close_warehouse(shared_home)


def test_runs_are_found_and_two_of_them_compared(browser: Any, served: tuple[Path, str]) -> None:
    _, url = served
    browser.get(url)
    shown = "return [...document.querySelectorAll('.run:not([hidden]) h3')].map(h => h.textContent)"
    assert len(browser.execute_script(shown)) == 3
    for field, value, found in (
        ("find", "nightly", 1),
        ("find", "", 3),
        ("find-tag", "baseline", 1),
        ("find-tag", "", 3),
    ):
        browser.execute_script(
            "const f = document.getElementById(arguments[0]); f.value = arguments[1];"
            "f.dispatchEvent(new Event('input', {bubbles: true}))", field, value,
        )  # fmt: skip
        assert len(browser.execute_script(shown)) == found
    compare = "return document.getElementById('compare').disabled"
    assert browser.execute_script(compare) is True
    browser.execute_script(
        "document.querySelectorAll('.pick').forEach((pick, n) => { if (n) pick.click(); })"
    )
    assert browser.execute_script(compare) is False
    assert browser.execute_script("return document.querySelector('.pick').disabled") is True


@pytest.mark.parametrize(
    "path",
    [
        "",
        "r1.html",
        "side?run=r1&order=worst",
        "side?run=r1&run_b=r2",
        f"answer?run=r1&question={quote(ATTACK)}&a=good&b={quote(ATTACK)}",
        f"answer?run=r1&question=q1&a={quote(ATTACK)}",
        f"side?run={quote(ATTACK)}",
        f"?said={quote(ATTACK)}",
        f"annotate?run=r1&name={quote(ATTACK)}",
        f"{link(KEY, named(ATTACK))}?run=r1&item={quote(ATTACK)}",
    ],
)
def test_hostile_words_stay_words(browser: Any, served: tuple[Path, str], path: str) -> None:
    browser.get_log("browser")
    browser.get(served[1] + path)
    until_page(
        browser, "return document.readyState === 'complete' && document.querySelector('main') !== null"
    )
    browser.execute_script(
        "document.querySelectorAll('a, input, summary, button').forEach(node => node.focus())"
    )
    assert browser.execute_script("return window.pwned") is None
    assert browser.execute_script("return document.querySelectorAll('img, iframe, object').length") == 0
    asked = "return performance.getEntriesByType('resource').map(one => one.name)"
    assert [one for one in browser.execute_script(asked) if not one.endswith("/favicon.ico")] == []
    said = [one["message"] for one in browser.get_log("browser") if "favicon" not in one["message"]]
    assert [
        one for one in said if not one.endswith("the server responded with a status of 409 (Conflict)")
    ] == []
    assert "window.pwned" in browser.execute_script("return document.body.textContent") or "r1.html" in path


def test_a_script_that_is_not_its_own_does_not_run(browser: Any, served: tuple[Path, str]) -> None:
    browser.get(served[1])
    browser.execute_script(
        "const s = document.createElement('script'); s.textContent = 'window.pwned = 4'; document.body.append(s);"
        "document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.pwned = 5\">')"
    )
    time.sleep(0.1)
    assert browser.execute_script("return window.pwned") is None


def test_answers_are_scored_by_the_keyboard_alone(browser: Any, served: tuple[Path, str]) -> None:
    from selenium.webdriver import ActionChains, Keys

    home, url = served
    browser.get(f"{url}{link(KEY, 'ada')}?run=r2")
    for key in ("1", "2", "3", "4", Keys.ARROW_UP, "5", "5"):
        ActionChains(browser).send_keys(key).perform()
    until_page(browser, "return document.getElementById('done').textContent === '1 of 4 done'")
    first = browser.execute_script("return document.querySelector('.scoring').dataset.item")
    names = [aspect.name for aspect in BROWSER_ASPECTS]
    assert journal(home, "r2", "ada").scores() == {
        first: dict(zip(names, (1.0, 2.0, 3.0, 5.0, 5.0), strict=True))
    }
    ActionChains(browser).send_keys(Keys.ENTER).perform()
    until_page(browser, f"return document.querySelector('.scoring')?.dataset.item !== '{first}'")
    assert browser.execute_script("return document.querySelectorAll('input:checked').length") == 0
    browser.execute_script("document.getElementById('before').click()")
    until_page(browser, f"return document.querySelector('.scoring')?.dataset.item === '{first}'")


def test_a_jury_decides_by_the_keyboard_and_in_words(browser: Any, served: tuple[Path, str]) -> None:
    from selenium.webdriver import ActionChains, Keys

    home, url = served
    cases = world_cases(1, 2)
    write_cases(home / "data" / "train_strong.jsonl", cases)
    write_json(home / "judge-training" / "t" / "data.json", {"data": str(home / "data")})
    file = home / "judge-training" / "t" / "stages" / "introspection" / "1" / "reviews.jsonl"
    write_reviews(file, [Review(case.case_id, ATTACK, "jury", 3, ATTACK, (ATTACK,)) for case in cases])
    browser.get(url)
    browser.execute_script("document.querySelector('main a[href^=jury]').click()")
    until_page(browser, "return document.querySelector('h1').textContent === 'Jury'")
    browser.get(f"{url}{link(KEY, 'ada')}jury/t/1/")
    ActionChains(browser).send_keys("1").perform()
    until_page(browser, "return document.getElementById('done').textContent === '1 of 2 done'")
    browser.find_element("id", "suggestion").send_keys("Mark 1 and 2 alike.")
    # Going on waits until the words are saved; digits in them are no votes.
    browser.execute_script(
        "document.getElementById('suggestion').blur(); document.getElementById('after').click()"
    )
    until_page(browser, "return !document.getElementById('before') ? false : true")
    ActionChains(browser).send_keys("2", Keys.ENTER).perform()
    until_page(browser, "return document.getElementById('done').textContent === '2 of 2 done'")
    assert [(one.decision, one.suggestion) for one in with_votes(file)] == [
        ("accepted", "Mark 1 and 2 alike."), ("unanswered", ATTACK),
    ]  # fmt: skip
    assert browser.execute_script("return window.pwned") is None


def test_a_run_is_tagged_and_deleted_by_the_forms_of_the_home(browser: Any, served: tuple[Path, str]) -> None:
    home, url = served
    browser.get(url)
    form = "document.querySelector(\".run form[action='{}']:has(input[value='r3'])\")"
    browser.execute_script(
        f"const f = {form.format('tags')}; f.elements.tags.value = 'night, two'; f.requestSubmit()"
    )
    until_page(browser, "return document.body.textContent.includes('r3 is tagged night, two')")
    assert tags_of(home)["r3"] == ["night", "two"]
    browser.execute_script(
        f"const f = {form.format('delete')}; f.elements.sure.checked = true; f.requestSubmit()"
    )
    until_page(browser, "return document.body.textContent.includes('r3 is deleted')")
    assert [run.run_id for run in runs_shown(home)] == ["r2", "r1"]
