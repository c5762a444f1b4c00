"""The home of runs over HTTP: pages, forms, and who may send one."""

import http.client
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest

from medassay.flows.serve.access import form_key
from medassay.flows.serve.home_pages import FORM_REFUSED
from medassay.flows.serve.hosts import hosts_of
from medassay.flows.serve.reports_server import serving_reports
from medassay.sql.warehouse import close_warehouse
from medassay.tasks.browsing.tags import tags_of
from medassay.tasks.run import home_lock
from tests.published_home import publish_runs

KEY = "0123456789abcdef"
RUNS = {
    "r1": {("q1", "good"): ["covered", "covered"], ("q1", "<b>ad/&"): ["contradicted", "missing"]},
    "r2": {("q1", "good"): ["contradicted", "covered"], ("q1", "<b>ad/&"): ["contradicted", "missing"]},
}


@pytest.fixture
def served(home: Path) -> Iterator[tuple[Path, int]]:
    publish_runs(home, RUNS, r2={"name": "nightly"})
    (home / "reports").mkdir()
    with serving_reports("127.0.0.1", 0, home, KEY, hosts_of("127.0.0.1")) as port:
        yield home, port
    close_warehouse(home)


def ask(port: int, path: str, form: dict[str, str] | None = None, **headers: str) -> tuple[int, str, str]:
    """Send one request; return status, body and the place it leads to."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    body = None if form is None else urlencode(form)
    named = {"Content-Type": "application/x-www-form-urlencoded", **headers} if form else headers
    connection.request("GET" if form is None else "POST", f"/{KEY}/{path}", body, named)
    reply = connection.getresponse()
    assert "default-src 'none'" in reply.headers["Content-Security-Policy"]
    assert reply.headers["Cache-Control"] == "no-store"
    text = reply.read().decode()
    connection.close()
    return reply.status, text, reply.headers.get("Location", "")


def words(page: str) -> str:
    """A page's text as a person reads it."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", page.split("<main", 1)[1]))


def test_two_clicks_lead_from_the_list_to_the_worst_answer(served: tuple[Path, int]) -> None:
    _, port = served
    _, page, _ = ask(port, "")
    assert '<a href="r2.html">nightly</a>' in page and "1 nugget newly contradicted" in page
    (first,) = re.findall(r'href="(side\?[^"]*run=r2[^"]*order=worst)"[^>]*>&lt;b&gt;ad/&amp;</a>', page)
    status, listed, _ = ask(port, first.replace("&amp;", "&"))
    assert status == 200
    second = re.findall(r'href="(answer\?[^"]*)"', listed)[0].replace("&amp;", "&")
    status, answer, _ = ask(port, second)
    assert status == 200
    assert "&lt;b&gt;ad/&amp; says contradicted of 0." in answer and "good says contradicted of 0." in answer
    assert re.findall(r'href="#([ab]-\w+)"', answer) == ["a-c1", "a-n1", "a-g1", "b-c1", "b-n1", "b-g1"]
    assert all(f'id="{anchor}"' in answer for anchor in ("a-c1", "a-n1", "a-g1", "b-c1", "b-n1", "b-g1"))
    assert "Don&#39;t" in answer and "not said" in answer


def test_an_answer_has_a_link_of_its_own(served: tuple[Path, int]) -> None:
    status, page, _ = ask(served[1], "answer?question=q1&run=r1&a=good")
    assert status == 200
    assert "good says covered of 0." in page and "ad/&amp; says" not in page and "differs" not in words(page)


def test_what_is_not_there_is_said_on_a_page(served: tuple[Path, int]) -> None:
    status, page, _ = ask(served[1], "answer?question=q9&run=r1&a=<script>")
    assert (status, "no system &#39;&lt;script&gt;&#39;" in page) == (409, True)
    assert ask(served[1], "diff?run=r1")[0] == 409
    assert ask(served[1], "elsewhere")[0] == 404
    assert ask(served[1], "r3.html")[0] == 404


def test_a_report_that_is_gone_is_made_anew(served: tuple[Path, int]) -> None:
    home, port = served
    status, page, _ = ask(port, "r2.html")
    assert status == 200 and "<title>nightly · MedAssay report</title>" in page
    assert (home / "reports" / "r2.html").exists()


def test_a_form_does_its_work_and_leads_back(served: tuple[Path, int]) -> None:
    home, port = served
    token = {"form_key": form_key(KEY)}
    status, _, back = ask(port, "tags", {**token, "run": "r1", "tags": "old, <i>"})
    assert (status, back, tags_of(home)) == (
        303,
        "./?said=r1+is+tagged+old%2C+%3Ci%3E",
        {"r1": ["old", "<i>"]},
    )
    assert "&lt;i&gt;" in ask(port, "")[1]
    assert ask(port, "delete", {**token, "run": "r1"})[0] == 409
    assert ask(port, "delete", {**token, "run": "r1", "sure": "yes"})[0] == 303
    assert "r1" not in words(ask(port, "")[1])


@pytest.mark.parametrize(
    ("form", "headers", "status"),
    [
        ({"run": "r1", "tags": "x"}, {}, 403),
        ({"form_key": "0" * 32, "run": "r1", "tags": "x"}, {}, 403),
        ({"form_key": form_key(KEY), "run": "r1", "tags": "x"}, {"Origin": "http://evil.example"}, 403),
        ({"form_key": form_key(KEY), "run": "r1", "tags": "x"}, {"Host": "evil.example"}, 421),
        ({"form_key": form_key(KEY), "run": "r9", "tags": "x"}, {}, 409),
        ({"form_key": form_key(KEY), "run": "r1", "tags": "x" * 70_000}, {}, 413),
    ],
)
def test_a_form_that_is_not_ours_does_nothing(
    served: tuple[Path, int], form: dict[str, str], headers: dict[str, str], status: int
) -> None:
    home, port = served
    found, text, _ = ask(port, "tags", form, **headers)
    assert (found, tags_of(home)) == (status, {})
    if not headers and status == 403:
        assert text == FORM_REFUSED


def test_nothing_is_deleted_while_a_run_holds_the_home(served: tuple[Path, int]) -> None:
    home, port = served
    form = {"form_key": form_key(KEY), "run": "r1", "sure": "yes"}
    with home_lock(home, "r3"):
        status, page, _ = ask(port, "delete", form)
    assert (status, "is held by run r3" in page) == (409, True)
    assert '<a href="r1.html">r1</a>' in ask(port, "")[1]


def test_ready_questions_and_a_persons_own_are_answered_with_a_chart(served: tuple[Path, int]) -> None:
    home, port = served
    (home / "questions").mkdir()
    (home / "questions" / "mine.sql").write_text(
        "-- Is <b>it</b> so? Perhaps.\nselect system, 0.5 as share from answers"
    )
    _, listed, _ = ask(port, "ask")
    assert listed.count('<a href="ask?q=') == 23 and "Is &lt;b&gt;it&lt;/b&gt; so?" in listed
    status, page, _ = ask(port, "ask?q=mine")
    assert (status, page.count("<rect"), page.count("<td>good</td>")) == (200, 4, 2)
    assert "&lt;b&gt;ad/&amp;" in page and "<b>ad" not in page
    for sql, left in (
        ("from leaderboard", " more with <code>select *</code>"),
        ("select * from leaderboard", ""),
    ):
        _, board, _ = ask(port, f"ask?{urlencode({'sql': sql})}")
        assert ("nugget_coverage_interval_low" in board.replace(" ", "_")) is not bool(left) and left in board
    _, means, _ = ask(port, "ask?q=11_what_are_the_means")
    assert (
        "What are the systems&#39; means on what matters, and how sure are they?" in means
        and "<rect" in means
    )


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("select nothing", "Binder Error"),
        ("selec", "Parser Error"),
        ("select 1; select 2", "one query that selects"),
        ("attach 'x.duckdb'", "one query that selects"),
        ("copy (select 1) to 'x.csv'", "one query that selects"),
        ("from read_text('/etc/passwd')", "file system operations are disabled"),
        ("from '/etc/hosts.csv'", "file system operations are disabled"),
    ],
)
def test_what_reads_files_or_does_more_than_select_is_refused(
    served: tuple[Path, int], sql: str, said: str
) -> None:
    status, page, _ = ask(served[1], f"ask?{urlencode({'sql': sql})}")
    assert status == 200 and said in page and 'role="alert"' in page and "root:" not in page


def test_a_query_that_takes_too_long_is_ended(
    served: tuple[Path, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    from medassay.tasks.browsing import questions

    monkeypatch.setattr(questions, "TIME_LIMIT_S", 0.2)
    endless = "select count(*) from range(100000000) a, range(100000000) b where (a.range * b.range) % 7 = 3"
    _, page, _ = ask(served[1], f"ask?{urlencode({'sql': endless})}")
    assert "the query took longer than 0 s: narrow it" in page
