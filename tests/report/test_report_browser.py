"""The page in a real browser: opened, filtered, drilled, printed, and handed answers that attack it."""

import base64
import json
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from medassay.models.report import ReportData, render
from tests.waits import until_page

pytestmark = pytest.mark.browser


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Callable[[ReportData], Any]:
    opened_before = count()

    def open_report(report: ReportData, width: int = 1280) -> Any:
        path = tmp_path / f"report-{next(opened_before)}.html"
        path.write_text(render(report), encoding="utf-8")
        browser.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600},
        )
        browser.get_log("browser")
        visit(browser, path)
        return browser

    return open_report


def visit(browser: Any, path: Path) -> None:
    """Go to a page and wait until it has loaded: on a busy machine the driver comes back before its scripts ran."""
    browser.get(path.as_uri())
    until_page(
        browser, f"return document.readyState === 'complete' && location.href === {json.dumps(path.as_uri())}"
    )


def run(browser: Any, script: str, *arguments: Any) -> Any:
    return browser.execute_script(script, *arguments)


LISTED = "return [...document.querySelectorAll('#list .q')].map(q => q.id)"


def test_it_opens_without_a_word_on_the_console_or_the_network(opened: Any, report: ReportData) -> None:
    browser = opened(report)
    assert run(browser, LISTED) == [f"q{number}" for number in range(12)]
    assert run(browser, "return performance.getEntriesByType('resource').length") == 0
    assert browser.get_log("browser") == []


def test_a_question_opens_to_its_claims_and_the_deciding_sentence(opened: Any, report: ReportData) -> None:
    browser = opened(report)
    run(browser, "document.querySelector('#q0 > summary').click()")
    until_page(browser, "return document.querySelector('#q0 .body') !== null")
    run(browser, "document.querySelectorAll('#q0 [role=tab]')[2].click()")
    marks = "return [...document.querySelectorAll('#q0p2 mark:not(.deciding)')].map(m => [m.className, m.textContent])"
    assert run(browser, marks) == [
        [
            "correct",
            "The most common side effects are gastrointestinal: diarrhoea, nausea and abdominal discomfort.",
        ],
        ["contradicts", "Lactic acidosis occurs in about one in ten patients [2]."],
        ["contradicts", "Metformin raises vitamin B12 over time [3]."],
        ["contradicts", "It should be taken on an empty stomach at the full dose from the first day [4]."],
        ["unmatched", "Many patients also feel more energetic within days."],
    ]
    assert run(browser, "return document.querySelector('#q0p2 mark.deciding').textContent") == (
        "Lactic acidosis occurs in about one in ten patients."
    )
    run(browser, "document.querySelectorAll('#q0p2 mark')[1].click()")
    assert run(browser, "return document.querySelector('#q0p2 .lit .say').textContent") == (
        "Contradicts Lactic acidosis occurs in about one in ten patients [2]."
    )
    run(browser, "document.querySelectorAll('#q0 .nuggets button')[5].click()")
    assert run(browser, "return document.querySelector('#q0 .reason p').textContent") == (
        "fluent-but-wrong: The claim turns the nugget around: number or direction differ."
    )


def test_a_retracted_source_and_an_absent_mark_are_said(opened: Any, report: ReportData) -> None:
    browser = opened(report)
    run(browser, "document.querySelector('#q0 > summary').click()")
    until_page(browser, "return document.querySelector('#q0 .body') !== null")
    run(browser, "document.querySelectorAll('#q0 [role=tab]')[1].click()")
    assert (
        run(browser, "return document.querySelector('#q0p1 .retracted').textContent")
        == "This source is retracted"
    )
    run(browser, "document.querySelector('#q4 > summary').click()")
    until_page(browser, "return document.querySelector('#q4 .body') !== null")
    run(browser, "document.querySelectorAll('#q4 [role=tab]')[1].click()")
    panel = run(browser, "return document.getElementById('q4p1').textContent")
    assert "No mark by gpt-large (abstained).three answers were not valid JSON" in panel


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"show": "contradicted"}, [f"q{number}" for number in range(12)]),
        ({"show": "contradicted", "system": "0"}, []),
        ({"show": "unjudged"}, ["q4", "q9"]),
        ({"category": "endocrinology"}, ["q0", "q8"]),
        ({"text": "WARFARIN valve"}, ["q1"]),
        ({"risk": "low", "sort": "nugget_coverage"}, ["q6", "q11"]),
    ],
)
def test_filters(opened: Any, report: ReportData, fields: dict[str, str], expected: list[str]) -> None:
    browser = opened(report)
    for name, value in fields.items():
        run(
            browser,
            "const f = document.getElementById('f-' + arguments[0]); f.value = arguments[1];"
            "f.dispatchEvent(new Event('input', {bubbles: true}))",
            name,
            value,
        )
    found = f"{len(expected)} of 12 questions" if len(expected) < 12 else "12 questions"
    until_page(browser, f"return document.getElementById('found').textContent.startsWith({found!r})")
    assert sorted(run(browser, LISTED)) == sorted(expected)
    if "sort" in fields:
        assert run(browser, LISTED) == expected


VERSUS = {
    "metric": "nugget_coverage", "family": "primary", "stratum": "all", "profile": "any", "difference": 0.64,
    "low": 0.5, "high": 0.7, "p_value": 0.001, "p_adjusted": 0.002, "wins": 11, "ties": 1, "losses": 0, "n_questions": 12,
}  # fmt: skip
FOUND = "return document.getElementById('found').firstChild.textContent"


@pytest.mark.parametrize(
    ("outcome", "expected", "told"),
    [
        ("won", 12, "on nugget coverage, careful against fluent-but-wrong: careful is better"),
        ("tied", 0, "on nugget coverage, careful against fluent-but-wrong: tied"),
    ],
)
def test_a_comparison_leads_to_the_questions_that_decided_it(
    opened: Any, report: ReportData, outcome: str, expected: int, told: str
) -> None:
    row = {**VERSUS, "run_id": report.run["run_id"], "system_a": "careful", "system_b": "fluent-but-wrong"}
    browser = opened(replace(report, comparisons=[row]))
    run(browser, f"document.querySelector('#versus a[data-against][data-outcome={outcome}]').click()")
    until_page(browser, f"return document.querySelectorAll('#list .q').length === {expected}")
    until_page(browser, "return document.querySelector('.pair') !== null")
    assert run(browser, "return document.querySelector('.pair').textContent.trim()") == told
    gaps = run(
        browser, "return [...document.querySelectorAll('.mini span:last-child b')].map(b => b.textContent)"
    )
    assert gaps == sorted(gaps, reverse=True)
    run(browser, "document.querySelector('#found button').click()")
    assert run(browser, FOUND) == "12 questions"


def test_what_decided_a_mark_leads_to_the_row(opened: Any, report: ReportData) -> None:
    verdict = report.citation_verdicts[0]
    key = {name: verdict[name] for name in ("run_id", "question_id", "system")}
    nugget, claim = report.nuggets[1], next(c for c in report.claims if c["claim_id"] == verdict["claim_id"])
    judgement = {
        **report.judgements[0],
        "justification": f"The answer says the opposite of *{nugget['nugget']}*; cites {verdict['citation']}, which was"
        f" retracted, for *{claim['claim']}*; and 1 more.",
        "decided_by": [nugget["nugget_id"], claim["claim_id"], "g1"],
    }
    instruction = {
        **key, "statement_id": "g1", "kind": "dont", "words": "advise fasting", "kept": False,
        "claim_ids": [claim["claim_id"]], "reason": "said (0.90)",
    }  # fmt: skip
    browser = opened(replace(report, judgements=[judgement], guidance_states=[instruction]))
    run(browser, "document.querySelector('#q0 > summary').click()")
    until_page(browser, "return document.querySelector('#q0 .body') !== null")
    hrefs = "return [...document.querySelectorAll('#q0p0 .quote a, #q0p0 .quote + .about a')].map(a => a.getAttribute('href'))"
    assert run(browser, hrefs) == ["#q0n1", "#q0p0c0s0", "#q0p0g0"]
    for href, said in (
        ("#q0n1", nugget["nugget"]),
        ("#q0p0c0s0", verdict["title"]),
        ("#q0p0g0", "advise fasting"),
    ):
        run(browser, f"document.querySelector('#q0p0 a[href=\"{href}\"]').click()")
        lit = run(browser, "return [...document.querySelectorAll('.lit')].map(n => [n.id, n.textContent])")
        assert [one[0] for one in lit] == [href[1:]]
        assert said in lit[0][1]
    assert run(browser, "return document.querySelector('#q0p0g0').innerText") == (
        "Not kept: Don’t advise fasting (said (0.90)) show in the answer"
    )
    assert browser.get_log("browser") == []


def test_the_numbers_of_the_head_and_of_the_citations_lead_to_their_questions(
    opened: Any, report: ReportData
) -> None:
    browser = opened(report)
    links = run(browser, "return [...document.querySelectorAll('.tiles a, .part')].length")
    followed = set()
    for place in range(links):
        run(browser, "document.querySelectorAll('.tiles a, .part')[arguments[0]].click()", place)
        chosen = run(
            browser,
            "return [document.getElementById('f-system').value, document.getElementById('f-show').value,"
            " document.querySelectorAll('#list .q').length > 0]",
        )
        followed.add(tuple(chosen))
    assert followed == {
        ("", "", True), ("", "uncited", True), ("", "contradicted", True), ("", "covered", True),
        ("", "supports", True), ("0", "supports", True), ("0", "partial", True), ("1", "neutral", True),
        ("1", "not_found", True), ("1", "untraceable", True), ("1", "unverifiable", True), ("2", "contradicts", True),
    }  # fmt: skip


def test_a_cell_of_the_heat_map_opens_its_question_and_system(opened: Any, report: ReportData) -> None:
    browser = opened(report)
    run(browser, "document.querySelectorAll('.heat tbody tr')[3].querySelectorAll('a.cell')[2].click()")
    selected = "document.querySelector('#q3 [aria-selected=true]')?.textContent"
    until_page(browser, f"return {selected} === 'fluent-but-wrong'")


def test_the_keyboard_is_enough(opened: Any, report: ReportData) -> None:
    from selenium.webdriver import ActionChains, Keys

    browser = opened(report)
    ActionChains(browser).send_keys("/").perform()
    assert run(browser, "return document.activeElement.id") == "f-text"
    run(browser, "document.querySelector('#q2 > summary').focus()")
    ActionChains(browser).send_keys(Keys.ENTER).perform()
    until_page(browser, "return document.querySelector('#q2 .body') !== null")
    run(browser, "document.querySelector('#q2 [role=tab]').focus()")
    ActionChains(browser).send_keys(Keys.ARROW_RIGHT).perform()
    assert run(browser, "return document.activeElement.textContent") == "cites-badly"
    run(browser, "document.querySelector('.board .term').focus()")
    tip = run(browser, "const t = document.getElementById('tip'); return [t.hidden, t.textContent]")
    assert tip == [
        False,
        "The share of the facts a good answer holds (nuggets) that the answer states rightly.",
    ]


def test_a_phone_needs_no_sideways_scrolling(opened: Any, report: ReportData) -> None:
    browser = opened(report, width=390)
    run(browser, "document.querySelectorAll('#found button')[0].click()")
    until_page(browser, "return document.querySelectorAll('.body').length === 12")
    assert run(browser, "return document.documentElement.scrollWidth") == 390


@pytest.mark.parametrize("width", [420, 1280])
def test_every_system_can_be_reached_in_every_table(opened: Any, report: ReportData, width: int) -> None:
    browser = opened(report, width=width)
    run(browser, "document.querySelectorAll('main details').forEach(part => { part.open = true; })")
    hidden = """
        return [...document.querySelectorAll('main th, main td')].filter((cell) => {
            const box = cell.getBoundingClientRect(), around = cell.closest('.scroll');
            const end = around ? around.getBoundingClientRect().left + around.scrollWidth : innerWidth;
            return box.right > end + 1 || (box.width === 0 && cell.closest('.board tbody'));
        }).map((cell) => cell.textContent)
    """
    assert run(browser, hidden) == []
    assert run(browser, "return [innerWidth, document.documentElement.scrollWidth]") == [width, width]
    shown = "return [...document.querySelectorAll('.board tbody th')].map((cell) => cell.textContent)"
    assert run(browser, shown) == ["careful", "cites-badly", "fluent-but-wrong"]
    if width == 420:  # nothing of all the metrics has to be scrolled for
        boxes = "const t = document.querySelector('#leaderboard .more .scroll'); return t.scrollWidth <= t.clientWidth"
        assert run(browser, boxes)
        labels = "return [...document.querySelector('#leaderboard .more tbody tr').cells].map((c) => c.dataset.label)"
        assert run(browser, labels) == [None, "careful", "cites-badly", "fluent-but-wrong"]


def test_it_prints(opened: Any, report: ReportData) -> None:
    browser = opened(report)
    run(browser, "document.querySelector('#q0 > summary').click()")
    until_page(browser, "return document.querySelector('#q0 .body') !== null")
    printed = base64.b64decode(browser.execute_cdp_cmd("Page.printToPDF", {})["data"])
    assert printed.startswith(b"%PDF-")
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    seen = "return [...document.querySelectorAll(arguments[0])].filter(e => e.checkVisibility()).length"
    assert [
        run(browser, seen, selector) for selector in ("nav", ".filters", "#q0 .panel", "#q1", "#leaderboard")
    ] == [
        0,
        0,
        3,
        0,
        1,
    ]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_paper_holds_every_answer_and_its_evidence_where_nothing_was_opened(
    opened: Any, report: ReportData
) -> None:
    browser = opened(report)
    run(browser, "dispatchEvent(new Event('beforeprint'))")
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    seen = "return [...document.querySelectorAll(arguments[0])].filter(e => e.checkVisibility()).length"
    texts = [run(browser, seen, part) for part in (".q", ".panel", ".panel > .prose", "#glossary dl")]
    assert texts == [12, 36, 35, 1]
    with_passage = [row for row in report.citation_verdicts if row.get("passage")]
    assert run(browser, seen, ".panel .paper") == len(with_passage) == 68
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    run(browser, "dispatchEvent(new Event('afterprint'))")
    assert run(browser, "return document.querySelectorAll('.q[open]').length") == 0


def test_on_a_phone_the_parts_behind_the_first_look_are_shut_until_a_link_leads_there(
    opened: Any, report: ReportData
) -> None:
    browser = opened(report, width=390)
    shut = "return [...document.querySelectorAll('.fold:not([open])')].map(f => f.parentElement.id)"
    assert run(browser, shut) == ["metrics", "look-first", "close", "left-out", "costs", "glossary"]
    tall = "return document.documentElement.scrollHeight"
    before = run(browser, tall)
    run(browser, "document.querySelector('nav a[href=\"#metrics\"]').click()")
    assert run(browser, shut) == ["look-first", "close", "left-out", "costs", "glossary"]
    run(browser, "document.querySelectorAll('.fold').forEach(fold => { fold.open = true; })")
    assert before < run(browser, tall) / 2
    assert run(opened(report), shut) == []


def test_a_point_of_the_chart_opens_its_answer(opened: Any, report: ReportData) -> None:
    browser = opened(report)
    run(
        browser,
        "document.querySelectorAll('.maps figure')[2].querySelectorAll('a')[3]"
        ".dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true}))",
    )
    until_page(
        browser,
        "return document.querySelector('#q3 [aria-selected=true]')?.textContent === 'fluent-but-wrong'",
    )


def test_a_long_list_of_questions_goes_on_at_a_button(opened: Any, make_run: Any) -> None:
    browser = opened(ReportData(**make_run(130)))
    state = (
        "return [document.querySelectorAll('#list .q').length, document.getElementById('more').textContent]"
    )
    assert run(browser, state) == [60, "60 more of 70"]
    run(browser, "document.getElementById('more').click()")
    assert run(browser, state) == [120, "10 more questions"]
    run(browser, "document.getElementById('more').click()")
    assert run(browser, "return document.getElementById('more').hidden") is True


MARKUP = "".join(
    (
        "</script><script>window.pwned = 1</script>",
        "<img src=x onerror='window.pwned = 2'>",
        "<!--<script>window.pwned = 3",
        "\u2028window.pwned = 4\u2029//",
        "{{ 7 * 7 }}{% set x = 1 %}",
        "\"' onmouseover=window.pwned=5 autofocus onfocus=window.pwned=6 x='",
        "</style><svg onload=window.pwned=7>",
        "]]></title><body onload=window.pwned=8>",
    )
)
ATTACKS = (MARKUP, "\ud800 half a pair, a \0 NUL, \u202e backwards", "__proto__")


@pytest.mark.parametrize("attack", ATTACKS)
def test_hostile_words_stay_words(opened: Any, a_run: dict[str, Any], attack: str) -> None:
    run_id = a_run["runs"][0]["run_id"]

    def poisoned(view: str, row: dict[str, Any]) -> dict[str, Any]:
        kept = {
            "run_id",
            "question_id",
            "system",
            "claim_id",
            "nugget_id",
            "started_at",
            "settings",
            "kind",
            "profile",
        }
        kept |= {"metric", "sorted_by", "claim_ids", "potentially_matched"}
        if view in ("answer_scores", "nugget_states", "citation_verdicts"):
            kept.add("state")
        return {
            name: value if name in kept or not isinstance(value, str) else f"{attack}{value}"
            for name, value in row.items()
        }

    rows = {view: [poisoned(view, row) for row in values] for view, values in a_run.items()}
    for values in rows.values():
        for row in values:
            if row.get("system") == "careful":
                row["system"] = attack
    for verdict in rows["citation_verdicts"]:
        verdict["url"] = "javascript:window.pwned=9"
    assert rows["runs"][0]["run_id"] == run_id
    browser = opened(ReportData(**rows, warnings=(attack,)))
    run(browser, "document.querySelectorAll('#found button')[0].click()")
    until_page(browser, "return document.querySelectorAll('.body').length === 12")
    run(browser, "document.querySelectorAll('[role=tab]').forEach(tab => tab.click())")
    run(browser, "document.querySelectorAll('.term, .none, .cell').forEach(node => node.focus())")
    assert run(browser, "return window.pwned") is None
    assert run(browser, "return document.querySelectorAll('a[href^=javascript]').length") == 0
    assert run(browser, "return document.querySelectorAll('img, iframe, object, embed').length") == 0
    assert run(browser, "return [...document.scripts].filter(s => s.type === '').length") == 1
    assert [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"] == []
    title = run(browser, "return document.querySelector('h1').textContent")
    assert title == f"{attack}Twelve questions, three systems".replace("\0", "\ufffd").replace(
        "\ud800", "\ufffd"
    )


def test_the_page_refuses_a_script_that_is_not_its_own(
    browser: Any, report: ReportData, tmp_path: Path
) -> None:
    path = tmp_path / "tampered.html"
    path.write_text(render(report).replace("</main>", "<script>window.pwned = 1</script></main>"), "utf-8")
    visit(browser, path)
    assert run(browser, "return window.pwned") is None
    assert run(browser, LISTED) == [f"q{number}" for number in range(12)]
