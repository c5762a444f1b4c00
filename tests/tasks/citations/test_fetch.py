"""The fetch stage against a PubMed on loopback that misbehaves: every fault ends in the right state."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import permutations, product
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from medassay.models.records import Section, SourceRecord
from medassay.models.settings import Settings
from medassay.models.sources.choosing import NO_EMAIL, OFFLINE
from medassay.models.sources.transfer import KeptSource, read_sources, write_sources
from medassay.models.usage import UsageError
from medassay.sql.warehouse import Warehouse
from medassay.tasks.run import RunRef, started_run
from medassay.tasks.sources.pubmed_files import add_file, add_files
from medassay.tasks.sources.refreshing import Moved, Refreshed, refresh_sources
from medassay.tasks.sources.storing import list_sources
from medassay.tasks.sources.transfer import export_sources, import_sources, kept_sources
from medassay.tasks.stages.fetch import fetch, prepare
from medassay.tasks.stages.stage import Unfinished
from tests.tasks.citations.asking import article, cite, fetched, fetching, flags, ids, states, told_by

NOT_FOUND = "PubMed answered, and has no record with this PMID"


def counted(warehouse: Warehouse) -> dict[str, int]:
    rows = warehouse.rows("select state, count(*) as n from current_source group by state order by state")
    return {row["state"]: row["n"] for row in rows}


def citation_states(warehouse: Warehouse) -> dict[str, tuple[str, str | None]]:
    rows = warehouse.rows("select source_id, state, reason from new_citation")
    return {row["source_id"]: (row["state"], row["reason"]) for row in rows}


def test_as_few_requests_as_possible_and_a_second_run_asks_nothing(home: Path, pubmed: Any) -> None:
    cited = ids(*range(450))
    with started_run(home, Settings("d")) as run:
        cite(run, cited)
        report = fetched(run)
        assert counted(run.warehouse) == {"found": 450}
        assert (
            run.warehouse.value(
                "select count(*) from source join source_body on source_body.content_digest = source.body_digest"
            )
            == 450
        )
    assert (report["n_items"], report["n_pending"], report["n_done"], report["n_failed"]) == (
        450,
        450,
        450,
        0,
    )
    assert [len(request.ids) for request in pubmed.requests] == [200, 200, 50]
    with started_run(home, Settings("d")) as run:
        cite(run, cited)
        assert fetched(run)["n_pending"] == 0
        assert counted(run.warehouse) == {"found": 450}
    assert len(pubmed.requests) == 3


def test_every_fault_ends_in_the_right_state(home: Path, pubmed: Any) -> None:
    known, unknown = ids(*range(1000)), ids(2000, 2001)
    pubmed.behaviour.queue.extend(
        ["rate_limited", "drop", "ok", "error_500", "cut", "ok", "json_error", "ok", "ok"]
    )
    with started_run(home, Settings("d")) as run:
        cite(run, known + unknown)
        prepare(run)
        with pytest.raises(Unfinished, match="fetch: 400 of 1002 failed, first: PubMed gave no answer: "):
            fetch.run(run, last_attempt=False)
        assert counted(run.warehouse) == {"found": 600, "not_found": 2}
        failed = run.warehouse.rows(
            "select reason, count(*) as n from outcome where state = 'failed' group by reason order by reason"
        )
        assert [(row["reason"].removeprefix("PubMed gave no answer: ")[:34], row["n"]) for row in failed] == [
            ("it answered with an error in place", 200),
            ("its answer was cut off after 808 o", 200),
        ]
        assert fetch.run(run)["n_failed"] == 0
        assert counted(run.warehouse) == {"found": 1000, "not_found": 2}
        assert states(run.warehouse)["pmid:99302000"] == ("not_found", NOT_FOUND)
        kept = run.warehouse.rows("select item_key, state, reason from outcome order by item_key")
        assert kept == [{"item_key": name, "state": "not_found", "reason": NOT_FOUND} for name in unknown]
        verdicts = citation_states(run.warehouse)
        assert verdicts["pmid:99302001"] == ("not_found", NOT_FOUND)
        assert {state for state, _ in verdicts.values()} == {
            "not_found",
            "unverifiable",
        }  # nobody has judged yet
    sizes = [len(request.ids) for request in pubmed.requests]
    # Of 1,002 ids: a limited request and its repetition, what was dropped and as many controls, 500 and the control
    # that is asked before a list is halved, cut; whole, JSON, whole, and the two unknown ones three times, twice with
    # a control; then the 400 that failed.
    assert sizes == [200, 200, 134, 200, 1, 200, 200, 200, 2, 3, 3, 200, 200]
    with started_run(home, Settings("d")) as run:
        cite(run, known + unknown)
        assert fetched(run)["n_pending"] == 0
        assert counted(run.warehouse) == {"found": 1000, "not_found": 2}
    assert len(pubmed.requests) == 13


def test_an_outage_is_unverifiable_with_the_reason_and_asked_again_next_time(home: Path, pubmed: Any) -> None:
    cited = ids(*range(900))
    pubmed.behaviour.always = "error_500"
    with started_run(home, Settings("d")) as run:
        cite(run, cited)
        report = fetched(run, attempts=3)
        assert (report["n_done"], report["n_failed"]) == (0, 900)
        assert states(run.warehouse) == {}
        verdicts = citation_states(run.warehouse)
    gave_none = "PubMed gave no answer: it answered HTTP 500: Internal Server Error"
    assert verdicts["pmid:99300000"] == ("unverifiable", gave_none)
    assert verdicts["pmid:99300899"] == (
        "unverifiable",
        f"not asked, since the sources stopped answering: {gave_none}",
    )
    # Each refused list is followed by a control, which is refused too, so that nothing is halved.
    assert len(pubmed.requests) == 3 * 3 * 2
    pubmed.behaviour.always = "ok"
    with started_run(home, Settings("d")) as run:
        cite(run, cited)
        assert fetched(run)["n_done"] == 900
        assert counted(run.warehouse) == {"found": 900}


def test_retry_asks_again_for_what_was_not_found(home: Path, pubmed: Any, eutils: ModuleType) -> None:
    for retry in (False, False, True):
        with fetching(home, ids(5000), retry=retry) as run:
            pubmed.articles["99305000"] = article(eutils, 5000)
            last = states(run.warehouse)
    assert last == {"pmid:99305000": ("found", None)}
    assert len(pubmed.requests) == 4  # three times before it was not found, once for the retry


def test_what_no_source_can_be_asked_about_is_settled_without_a_request(home: Path, pubmed: Any) -> None:
    cited = ["nct:NCT00000001", "url:https://example.org/a", "reference:Nobody 1999", "document:lost"]
    with started_run(home, Settings("d")) as run:
        cite(run, cited)
        assert fetched(run)["n_pending"] == 0
        found = states(run.warehouse)
        assert found.pop("document:lost") == ("not_found", "the data holds no document of this id")
        assert [state for state, _ in found.values()] == ["unverifiable"] * 3
        assert run.warehouse.rows("from missing_source") == []  # another data set may hold the document
    assert pubmed.requests == []


def test_without_an_address_nobody_is_asked(home: Path, pubmed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NCBI_EMAIL")
    with started_run(home, Settings("d")) as run:
        cite(run, ids(1))
        assert fetched(run)["n_pending"] == 0
        assert states(run.warehouse) == {"pmid:99300001": ("unverifiable", NO_EMAIL)}
    monkeypatch.setenv("NCBI_EMAIL", "tests@example.org")
    with fetching(home, ids(1)) as run:
        assert states(run.warehouse) == {"pmid:99300001": ("found", None)}


@pytest.mark.parametrize("article_pmid, notice_pmid", [("99300001", "100300001"), ("99300002", "99300001")])
def test_a_doi_in_a_file_is_its_articles_and_not_the_notices(
    home: Path, pubmed: Any, eutils: ModuleType, tmp_path: Path, article_pmid: str, notice_pmid: str
) -> None:
    text = (("", "", "It worked."),)
    bearers = [
        eutils.Article(notice_pmid, "Notice", text, corrections=("RetractionOf",), doi="10.5555/shared"),
        eutils.Article(article_pmid, "Trial", text, corrections=("RetractionIn",), doi="10.5555/shared"),
    ]
    file = tmp_path / "pubmed26n0001.xml"
    file.write_bytes(eutils.pubmed_xml(bearers))
    with fetching(home, ["doi:10.5555/shared"], file=file, offline=True) as run:
        told = run.warehouse.rows("select title, retracted from current_source")
    assert told == [{"title": "Trial", "retracted": "yes"}]


def test_a_bad_file_keeps_no_other_out_and_a_record_without_pmid_is_counted(
    home: Path, eutils: ModuleType, tmp_path: Path
) -> None:
    good = eutils.pubmed_xml([eutils.Article("99300001"), eutils.Article("99300002")])
    (tmp_path / "pubmed26n0001.xml").write_bytes(b"<html/>")
    (tmp_path / "pubmed26n0002.xml").write_bytes(good.replace(b"99300002", b"none"))
    (tmp_path / "pubmed26n0003.xml").write_bytes(b"")
    with started_run(home, Settings("d", offline=True)) as run:
        adding = add_files(run.warehouse, [tmp_path / "gone", tmp_path])
        added = next(adding)
        with pytest.raises(UsageError) as unread:
            list(adding)
        held = [row["source_id"] for row in run.warehouse.rows("from pubmed_change")]
    assert (added.name, added.n_records, added.n_unnamed) == ("pubmed26n0002.xml", 1, 1)
    assert [line.partition(": ")[0] for line in str(unread.value).splitlines()] == [
        str(tmp_path / "gone"),
        str(tmp_path / "pubmed26n0001.xml"),
        str(tmp_path / "pubmed26n0003.xml"),
    ]
    assert held == ["pmid:99300001"]


def test_what_a_file_says_again_under_a_higher_name_is_the_newest_word(
    home: Path, eutils: ModuleType, tmp_path: Path
) -> None:
    first, second = (eutils.pubmed_xml([eutils.Article("99300001", title)]) for title in ("First", "Second"))
    said, told = [], []
    for name, body in [("n0001", first), ("n0002", second), ("n0003", first)]:
        path = tmp_path / f"pubmed26{name}.xml"
        path.write_bytes(body)
        with started_run(home, Settings("d", offline=True)) as run:
            added = add_file(run.warehouse, path)
            said.append((added.was_there, added.counts_as))
            cite(run, ["pmid:99300001"])
            fetched(run)
            told.append([kept.record.title for kept in kept_sources(run.warehouse) if kept.record])
    assert said == [(False, ""), (False, ""), (True, "pubmed26n0003.xml")]
    assert told == [["First"], ["Second"], ["First"]]


def add_files_in(folder: Path, warehouse: Warehouse, files: list[tuple[str, bytes]]) -> list[bool]:
    """Add files one by one under these names; tell of each whether it was there."""
    seen = []
    for name, body in files:
        (folder / name).write_bytes(body)
        seen.append(add_file(warehouse, folder / name).was_there)
    return seen


def test_every_doi_of_a_record_in_a_file_finds_it(
    home: Path, pubmed: Any, eutils: ModuleType, tmp_path: Path
) -> None:
    listed = b'<ArticleId IdType="doi">10.5555/first</ArticleId>'
    article = eutils.Article("99300001", "Trial", corrections=("RetractionIn",), doi="10.5555/first")
    first = eutils.pubmed_xml([article])
    both = first.replace(listed, listed + b'<ArticleId IdType="doi">10.5555/Second</ArticleId>')
    names = ["doi:10.5555/first", "doi:10.5555/second"]
    seen = []
    for file in (("pubmed26n0001.xml", both), ("pubmed26n0002.xml", first)):
        with started_run(home, Settings("d", offline=True)) as run:
            add_files_in(tmp_path, run.warehouse, [file])
            cite(run, names)
            filed = run.warehouse.rows("select warned from fetch_filed order by source_id")
            fetched(run)
            seen.append(([row["warned"] for row in filed], states(run.warehouse)))
    # The second file takes the second DOI back.
    assert seen == [
        ([True, True], dict.fromkeys(names, ("found", None))),
        ([True, False], {names[0]: ("found", None), names[1]: ("unverifiable", OFFLINE)}),
    ]


def test_an_export_repeats_the_run_offline_in_another_home(
    homes: Callable[[str], Path], pubmed: Any, tmp_path: Path
) -> None:
    cited = ids(*range(5), 5000)
    exported = tmp_path / "sources.jsonl.gz"
    seen = []
    with fetching(homes("first"), cited) as run:
        seen.append((states(run.warehouse), run.warehouse.rows("from current_passage order by all")))
        assert export_sources(run.warehouse, exported) == 6
    with started_run(homes("second"), Settings("d", offline=True)) as run:
        assert import_sources(run.warehouse, exported) == (5, 1, 0)
        assert import_sources(run.warehouse, exported) == (5, 1, 6)
        cite(run, cited)
        assert fetched(run)["n_pending"] == 0
        seen.append((states(run.warehouse), run.warehouse.rows("from current_passage order by all")))
        again = tmp_path / "again.jsonl.gz"
        assert export_sources(run.warehouse, again) == 6
    assert seen[0] == seen[1]
    assert again.read_bytes() == exported.read_bytes()
    with started_run(homes("second"), Settings("d")) as run:
        cite(run, cited)
        assert fetched(run)["n_pending"] == 0
    assert len(pubmed.requests) == 3


def test_an_export_tells_what_files_have_withdrawn(
    homes: Callable[[str], Path], eutils: ModuleType, tmp_path: Path
) -> None:
    first, second = tmp_path / "pubmed26n0001.xml", tmp_path / "pubmed26n1500.xml"
    first.write_bytes(eutils.pubmed_xml(article(eutils, n) for n in range(3)))
    second.write_bytes(eutils.pubmed_xml([], deleted=["99300001", "99300002"]))
    exported, seen = tmp_path / "sources.jsonl", []
    # The first was read before it was withdrawn, the second is asked for afterwards.
    for file, cited in ((first, ids(0, 1)), (second, ids(0, 1, 2))):
        with fetching(homes("first"), cited, file=file, offline=True) as run:
            told = states(run.warehouse)
    seen.append(told)
    export_sources(run.warehouse, exported)
    with started_run(homes("second"), Settings("d", offline=True)) as run:
        assert import_sources(run.warehouse, exported) == (1, 2, 0)
        cite(run, cited)
        fetched(run)
        seen.append(states(run.warehouse))
        again = tmp_path / "again.jsonl"
        export_sources(run.warehouse, again)
    withdrawn = ("not_found", "PubMed has withdrawn this record, says pubmed26n1500.xml")
    assert seen[0] == {"pmid:99300000": ("found", None), **dict.fromkeys(ids(1, 2), withdrawn)}
    assert seen[1] == seen[0]
    assert again.read_bytes() == exported.read_bytes()
    with started_run(homes("first"), Settings("d", offline=True)) as run:
        third = tmp_path / "pubmed26n1501.xml"
        third.write_bytes(eutils.pubmed_xml([article(eutils, 1)]))
        add_file(run.warehouse, third)
        export_sources(run.warehouse, exported)
        assert import_sources(run.warehouse, exported)[:2] == (2, 1)


def test_what_an_outage_left_open_is_asked_again_by_a_later_run(
    home: Path, pubmed: Any, eutils: ModuleType
) -> None:
    pubmed.articles["99400001"] = eutils.Article(
        "99400001", "Open", (("", "", "Short."),), pmcid="PMC9400001", corrections=("RetractionIn",),
        body="<body><p>The whole of it.</p></body>",
    )  # fmt: skip
    source_id = "pmcid:PMC9400001"
    seen = []
    # Of the text and of PubMed in turn: standing unknown, nothing at all, text unknown, both there.
    for faults in (["ok", *["error_500"] * 9], ["error_500"] * 9, ["error_500", "error_500", "ok"], [], []):
        pubmed.behaviour.queue.clear()
        pubmed.behaviour.queue.extend(faults)
        pubmed.requests.clear()
        with fetching(home, [source_id]) as run:
            seen.append((*flags(run.warehouse)[source_id], len(pubmed.requests)))
    assert seen == [
        ("found", 1, "unchecked", "unchecked", 3),
        ("found", 1, "unchecked", "unchecked", 4),
        ("found", 2, "yes", "no", 4),
        ("found", 3, "yes", "no", 3),
        ("found", 3, "yes", "no", 0),
    ]


def test_a_pmcid_that_a_file_holds_is_read_from_it_where_nobody_answers_or_it_is_denied(
    home: Path, pubmed: Any, eutils: ModuleType, tmp_path: Path
) -> None:
    held = [article(eutils, n, pmcid=f"PMC930000{n}") for n in (1, 2)]
    pubmed.articles["99300002"] = held[1]
    pubmed.behaviour.always = "error_500"
    names = [f"pmcid:PMC930000{n}" for n in (1, 2, 3)]
    with started_run(home, Settings("d")) as run:
        add_files_in(tmp_path, run.warehouse, [("pubmed26n0001.xml", eutils.pubmed_xml(held))])
        cite(run, names)
        fetched(run)
        rows = run.warehouse.rows(
            "select source_id, state, origin, reason from current_source order by source_id"
        )
    denied = "PMC answered, and has no article with this PMCID"
    assert [tuple(row.values()) for row in rows] == [
        (names[0], "found", "pubmed files", f"as PubMed's files hold it: {denied}"),
        (
            names[1],
            "found",
            "pubmed files",
            "as PubMed's files hold it: PMC gave no text: it answered HTTP 500: Internal Server Error",
        ),
        (names[2], "not_found", None, denied),
    ]


def test_an_earlier_fetch_stands_where_nobody_answers(home: Path, pubmed: Any) -> None:
    with fetching(home, ids(1)) as run:
        run.warehouse.execute("update source set reading = 1")
        run.warehouse.execute("delete from source_body")
    pubmed.behaviour.always = "error_500"
    with started_run(home, Settings("d")) as run:
        cite(run, ids(1))
        assert fetched(run, attempts=3)["n_failed"] == 0
        gave_none = "PubMed gave no answer: it answered HTTP 500: Internal Server Error"
        assert states(run.warehouse) == {"pmid:99300001": ("found", f"as fetched before: {gave_none}")}
    with fetching(home, ids(1), offline=True) as run:
        assert states(run.warehouse) == {"pmid:99300001": ("found", None)}


def test_kept_bodies_are_read_again_and_nothing_is_asked(
    home: Path, crossref: Any, eutils: ModuleType
) -> None:
    crossref.articles["99400001"] = eutils.Article(
        "99400001", "Open", (("", "", "Short."),), pmcid="PMC9400001", body="<body><p>The whole.</p></body>"
    )
    crossref.behaviour.crossref["10.5555/9"] = {"DOI": "10.5555/9", "title": ["Of <i>E. coli</i> &amp; more"]}
    cited = [*BARE, *ids(4, 5000), "pmcid:PMC9400001", "doi:10.5555/9"]
    with fetching(home, cited) as run:
        before, warehouse = told_by(run.warehouse), run.warehouse
        assert before["doi:10.5555/9"][1] == "Of E. coli & more"
        # As an older reading left them.
        warehouse.execute(
            "update source set reading = 3, title = 'Of <i>E. coli</i> &amp; more' where title like 'Of%'"
        )
        warehouse.execute(
            'update source set record = json_merge_patch(record, \'{"title": "Of <i>E. coli</i> &amp; more"}\'),'
            " content_digest = 'old' where title like 'Of%'"
        )
        warehouse.execute("update source set reading = 3, told_at = now() - interval 9 day")
        warehouse.execute(
            "insert into fingerprint select 'older', stage, json_merge_patch(spec, '{\"stage_version\": 3}')"
            " from fingerprint where fingerprint = pinned('fetch')"
        )
        warehouse.execute("update missing_source set fingerprint = 'older'")
    asked = len(crossref.requests)
    with started_run(home, Settings("d")) as run:
        cite(run, cited)
        assert fetched(run)["n_pending"] == 0
        assert told_by(run.warehouse) == before
        assert run.warehouse.value("select max(told_at) < now() - interval 8 day from newest_source")
    assert len(crossref.requests) == asked


def test_a_newer_file_knows_of_notices_that_a_fetch_does_not(
    home: Path, pubmed: Any, eutils: ModuleType, tmp_path: Path
) -> None:
    pubmed.articles["99300004"] = article(eutils, 4, corrections=("RetractionIn",))
    with fetching(home, ids(1, 2, 3, 4)):
        pass
    newer = tmp_path / "pubmed26n1500.xml"
    erratum = [article(eutils, n, corrections=("ErratumIn",)) for n in (2, 4)]
    newer.write_bytes(eutils.pubmed_xml([article(eutils, 3), *erratum], deleted=["99300001"]))
    for _ in range(2):
        with fetching(home, ids(1, 2, 3, 4), file=newer) as run:
            assert flags(run.warehouse) == {
                "pmid:99300001": ("not_found", None, "unchecked", "unchecked"),
                "pmid:99300002": ("found", 2, "no", "yes"),
                "pmid:99300003": ("found", 1, "no", "no"),
                "pmid:99300004": ("found", 1, "yes", "no"),
            }
    assert len(pubmed.requests) == 1


def test_a_file_that_an_older_reading_read_is_read_anew(
    home: Path, eutils: ModuleType, tmp_path: Path
) -> None:
    file = tmp_path / "pubmed26n0001.xml"
    file.write_bytes(eutils.pubmed_xml([article(eutils, 1, doi="10.5555/a&b")]))
    with started_run(home, Settings("d")) as run:
        warehouse = run.warehouse
        assert not add_file(warehouse, file).was_there
        warehouse.execute("update pubmed_file set reading = null")
        warehouse.execute("update pubmed_change set doi = 'doi:10.5555/a&amp;b'")
        assert [add_file(warehouse, file).was_there for _ in range(2)] == [False, True]
        assert warehouse.rows("select doi from pubmed_change") == [{"doi": "doi:10.5555/a&b"}]
        assert warehouse.value("select count(*) from pubmed_file") == 1


def test_a_verdict_tells_an_abstract_from_a_full_text(home: Path, pubmed: Any, eutils: ModuleType) -> None:
    pubmed.articles.update(
        {
            "99400001": eutils.Article(
                "99400001", "Open", (("", "", "Short."),), pmcid="PMC9400001",
                body="<body><sec><title>Results</title><p>The whole of it.</p></sec></body>",
            ),
            "99400002": eutils.Article("99400002", "A title and nothing else"),
        }
    )  # fmt: skip
    with fetching(home, [*ids(1), "pmcid:PMC9400001", "pmid:99400002", "pmid:99405000"]) as run:
        run.warehouse.execute(
            "insert into pair_score by name select distinct premise_key, hypothesis_key, 'e' as fingerprint,"
            " 0.9 as entailment, 0.1 as neutral, 0.0 as contradiction, 1 as n_windows, 1.0 as coverage"
            " from citation_pair"
        )
        # The titles of sources whose text is read are held against nothing.
        asked = run.warehouse.rows("select distinct source_id, passage_label from citation_pair order by all")
        assert [tuple(row.values()) for row in asked] == [
            ("pmcid:PMC9400001", "Abstract"),
            ("pmcid:PMC9400001", "Results"),
            ("pmid:99300001", "ABSTRACT"),
        ]
        rows = run.warehouse.rows(
            "select source_id, state, text_kind, reason from new_citation order by ordinal"
        )
    assert [tuple(row.values()) for row in rows] == [
        ("pmid:99300001", "supports", "abstract", None),
        ("pmcid:PMC9400001", "supports", "full_text", None),
        ("pmid:99400002", "unverifiable", None, "the source exists, but no text of it is at hand"),
        ("pmid:99405000", "not_found", None, NOT_FOUND),
    ]


def carry(run: RunRef, texts: dict[str, str], by: str = "a") -> None:
    """Let an answer of the run carry texts of sources that it cites."""
    run.warehouse.insert(
        "cited_source",
        [
            {"answer_key": by, "fingerprint": "d", "source_id": name, "title": "As cited", "content": text}
            for name, text in texts.items()
        ],
    )


def read_by(run: RunRef) -> dict[tuple[str, str], tuple[str | None, str | None, str]]:
    """Return what each answer's sources are read as: (state, who told it, its text), by (answer, source)."""
    rows = run.warehouse.rows(
        "select citation.answer_key, citation.source_id, source.state, source.origin,"
        " coalesce(string_agg(text.text, ' ' order by passage.position) filter (passage.label <> 'TITLE'), '') as text"
        " from current_citation as citation"
        " left join current_source as source on source.source_id = citation.source_id"
        " and source.fetch_no is not distinct from citation.fetch_no"
        " left join current_passage as passage"
        " on passage.source_id = citation.source_id and passage.fetch_no = citation.fetch_no"
        " left join text using (text_key) group by all"
    )
    return {(row["answer_key"], row["source_id"]): (row["state"], row["origin"], row["text"]) for row in rows}


def test_what_an_answer_carries_proves_nothing_of_what_can_be_looked_up(home: Path, pubmed: Any) -> None:
    known, made_up = ids(1)[0], "pmid:39999991"
    with started_run(home, Settings("d")) as run:
        cite(run, [known, made_up, "reference:faq"])
        carry(run, {known: "Carried.", made_up: "It cures baldness.", "reference:faq": "Ask your doctor."})
        fetched(run)
        read = read_by(run)
        assert read["a", made_up] == ("not_found", None, "")
        assert read["a", known][:2] == ("found", "pubmed") and "Carried." not in read["a", known][2]
        assert read["a", "reference:faq"] == ("found", "answer", "Ask your doctor.")


def test_each_answer_is_judged_by_the_text_that_it_carries_itself(home: Path) -> None:
    name = ids(1)[0]
    with started_run(home, Settings("d", offline=True)) as run:
        for by in "abcd":
            cite(run, [name], by)
        for by, text in {"a": "It helps.", "b": "It harms.", "d": "It helps."}.items():
            carry(run, {name: text}, by)
        fetched(run)
        read = read_by(run)
        assert {by: read[by, name] for by in "abd"} == {
            "a": ("found", "answer", "It helps."),
            "b": ("found", "answer", "It harms."),
            "d": ("found", "answer", "It helps."),
        }
        # What others carry of it proves nothing for an answer that carries nothing.
        assert read["c", name] == ("unverifiable", None, "")
        pairs = run.warehouse.rows(
            "select answer_key, text from citation_pair join text on text_key = premise_key"
        )
        assert {(row["answer_key"], row["text"]) for row in pairs} == {
            ("a", "It helps."), ("b", "It harms."), ("d", "It helps.")
        }  # fmt: skip
    with started_run(home, Settings("d", offline=True)) as again:
        cite(again, [name], "b")
        carry(again, {name: "It harms."}, "b")
        fetched(again)
        assert read_by(again) == {("b", name): ("found", "answer", "It harms.")}
        assert again.warehouse.value("select count(*) from source") == 2


def test_what_an_answer_carries_is_read_where_nothing_else_is_to_be_had(
    home: Path, homes: Callable[[str], Path], pubmed: Any, eutils: ModuleType
) -> None:
    bare, cut_off = ids(5000)[0], ids(1)[0]
    pubmed.articles["99305000"] = eutils.Article("99305000", "A letter", ())
    with started_run(home, Settings("d")) as run:
        cite(run, [bare])
        carry(run, {bare: "It helps, the letter says."})
        cite(run, [bare], "another")
        fetched(run)
        rows = run.warehouse.rows("select title, origin, retracted from current_source order by origin")
        assert rows == [
            {"title": "A letter", "origin": "answer", "retracted": "no"},
            {"title": "A letter", "origin": "pubmed", "retracted": "no"},
        ]
        assert read_by(run)["another", bare] == ("found", "pubmed", "")
        passages = run.warehouse.rows(
            "select text from current_passage join text using (text_key) where label is distinct from 'TITLE'"
        )
        assert "It helps, the letter says." in [row["text"] for row in passages]
    n_asked = len(pubmed.requests)
    with started_run(home, Settings("d")) as run:
        cite(run, [bare])
        carry(run, {bare: "It helps, the letter says."})
        fetched(run)
        assert read_by(run) == {("a", bare): ("found", "answer", "It helps, the letter says.")}
    assert len(pubmed.requests) == n_asked
    with started_run(homes("offline"), Settings("d", offline=True)) as run:
        cite(run, [cut_off])
        carry(run, {cut_off: "It helps."})
        fetched(run)
        assert read_by(run) == {("a", cut_off): ("found", "answer", "It helps.")}


def test_a_file_with_a_text_comes_before_a_fetch_without(
    home: Path, pubmed: Any, eutils: ModuleType, tmp_path: Path
) -> None:
    name = ids(5001)[0]
    pubmed.articles["99305001"] = eutils.Article("99305001", "A trial", ())
    with fetching(home, [name]):
        pass
    path = tmp_path / "pubmed26n1300.xml"
    path.write_bytes(eutils.pubmed_xml([article(eutils, 5001)]))
    with fetching(home, [name], file=path, offline=True) as run:
        assert run.warehouse.rows("select origin from current_source") == [{"origin": "pubmed files"}]


def told(day: int, source_id: str, text: str | None, **changes: Any) -> KeptSource:
    """What PubMed said of a source on a day of January; without a text, that it has no such record."""
    at = datetime(2026, 1, day, tzinfo=UTC)
    if text is None:
        return KeptSource(source_id, "not_found", None, NOT_FOUND, "pubmed", at)
    record = SourceRecord(source_id, "Trial", (Section("", text),), retracted="no", **changes)
    return KeptSource(source_id, "found", record, None, "pubmed", at)


def test_the_newest_word_counts_in_whatever_order_it_was_heard(home: Path, tmp_path: Path) -> None:
    said = [("A", "B", "A"), ("A", "A", "B"), ("A", "B", None), ("A", None, "A")]
    cases = {f"pmid:{n}": case for n, case in enumerate(product(said, permutations(range(3))), 1)}
    words = {
        name: [told(day + 1, name, text, year=2000 + day) for day, text in enumerate(texts)]
        for name, (texts, _) in cases.items()
    }
    last = {name: texts[2] for name, (texts, _) in cases.items()}
    file, again = tmp_path / "sources.jsonl", tmp_path / "again.jsonl"
    with started_run(home, Settings("d", offline=True)) as run:
        for n in range(3):
            write_sources(file, [words[name][order[n]] for name, (_, order) in cases.items()])
            import_sources(run.warehouse, file)
        cite(run, list(cases))
        fetched(run)
        read = run.warehouse.rows(
            "select source_id, text from current_passage join text using (text_key) where label is distinct from 'TITLE'"
        )
        years = run.warehouse.rows(
            "select source_id, year from source join run_source using (source_id, fetch_no)"
        )
        export_sources(run.warehouse, again)
        listed = {row["origin"]: row["n_sources"] for row in list_sources(run.warehouse)}
        seen = states(run.warehouse)
    there = {name: text for name, text in last.items() if text}
    assert {row["source_id"]: row["text"] for row in read} == there
    assert {row["source_id"]: row["year"] for row in years} == dict.fromkeys(there, 2002)
    assert seen == {
        name: ("found", None) if text else ("not_found", NOT_FOUND) for name, text in last.items()
    }
    assert listed == {"pubmed": 18, "not found by pubmed": 6}
    assert {kept.source_id: kept for kept in read_sources(again)} == {name: words[name][2] for name in cases}


def test_what_was_fetched_long_ago_is_asked_about_again_and_what_moved_is_told(
    home: Path, pubmed: Any, eutils: ModuleType
) -> None:
    with fetching(home, ids(1, 2, 3, 4, 5000, 5001)) as run:
        warehouse = run.warehouse
        nothing = refresh_sources(warehouse, timedelta(days=1))
        assert nothing == Refreshed(known=nothing.known)
        assert nothing.known.n_sources == 6
        warehouse.execute(
            "update source set told_at = now() - interval 40 day where source_id <> 'pmid:99300004'"
        )
        warehouse.execute("update missing_source set fetched_at = now() - interval 40 day")
        pubmed.articles["99300001"] = article(eutils, 1, corrections=("RetractionIn",))
        pubmed.articles["99300002"] = eutils.Article("99300002", "Anew", (("", "", "It harmed."),))
        del pubmed.articles["99300003"]
        pubmed.articles["99305000"] = article(eutils, 5000)
        asked = len(pubmed.requests)
        came = refresh_sources(warehouse, timedelta(days=30))
        assert came == Refreshed(
            n_asked=5,
            n_answered=5,
            answered_by={"pubmed": 5},
            n_new_text=2,
            known=came.known,
            moved=[
                Moved("pmid:99300001", "retracted", "Invented trial 1"),
                Moved("pmid:99300002", "another title; it was: Invented trial 2", "Anew"),
                Moved("pmid:99300003", "no longer there", "Invented trial 3"),
                Moved("pmid:99305000", "found, and was not before", "Invented trial 5000"),
            ],
        )
        assert len(pubmed.requests) == 2 * asked
        # The run keeps what it read, and the next one reads what was learnt.
        assert flags(warehouse)["pmid:99300001"] == ("found", 1, "no", "no")
    with fetching(home, ids(1, 2, 3, 4, 5000, 5001), offline=True) as run:
        assert flags(run.warehouse) == {
            "pmid:99300001": ("found", 2, "yes", "no"),
            "pmid:99300002": ("found", 2, "no", "no"),
            "pmid:99300003": ("not_found", None, "unchecked", "unchecked"),
            "pmid:99300004": ("found", 1, "no", "no"),
            "pmid:99305000": ("found", 1, "no", "no"),
            "pmid:99305001": ("not_found", None, "unchecked", "unchecked"),
        }
        nothing = refresh_sources(run.warehouse, timedelta(days=30))
        assert nothing == Refreshed(known=nothing.known)


def test_what_its_source_denies_and_files_hold_is_still_there(
    home: Path, pubmed: Any, eutils: ModuleType, tmp_path: Path
) -> None:
    cited = ["pmcid:PMC9400001", *ids(1, 2), "doi:10.5555/1"]
    there = article(eutils, 1, doi="10.5555/1", pmcid="PMC9400001")
    filed = eutils.pubmed_xml([there, article(eutils, 2)])
    with started_run(home, Settings("d")) as run:
        pubmed.articles["99300001"] = there
        cite(run, cited)
        fetched(run)
        before = flags(run.warehouse)
        add_files_in(tmp_path, run.warehouse, [("pubmed26n0001.xml", filed)])
        pubmed.articles.pop("99300001")
        came = refresh_sources(run.warehouse, timedelta(0))
        assert [(moved.source_id, moved.what) for moved in came.moved] == [
            (name, "no longer at its source, and read from pubmed26n0001.xml")
            for name in ("doi:10.5555/1", "pmcid:PMC9400001", "pmid:99300001")
        ]
        assert came.said() == "4 sources asked about again, 3 answered (pubmed 1, pubmed files 2)"
        assert refresh_sources(run.warehouse, timedelta(0)).moved == []
    for offline in (False, True):
        with fetching(home, cited, offline=offline) as run:
            assert {name: seen[0] for name, seen in flags(run.warehouse).items()} == {
                name: seen[0] for name, seen in before.items()
            }


BARE = ["doi:10.5555/1", *ids(1, 2, 3)]


WITH_ABSTRACT = {
    "doi:10.5555/1": ("pubmed and crossref", "Invented trial 1", 2, "yes"),
    "pmid:99300001": ("pubmed and crossref", "Invented trial 1", 2, "yes"),
    "pmid:99300002": ("pubmed", "Invented trial 2", 0, "no"),
    "pmid:99300003": ("pubmed", "Invented trial 3", 0, "no"),
}


def test_an_abstract_that_pubmed_has_not_is_crossrefs_of_the_same_doi_once_it_may_be_asked(
    home: Path, crossref: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEDASSAY_CROSSREF", "0")
    with fetching(home, BARE) as run:
        assert {seen[0] for seen in told_by(run.warehouse).values()} == {"pubmed"}
    monkeypatch.setenv("MEDASSAY_CROSSREF", "1")
    with fetching(home, BARE) as run:
        assert told_by(run.warehouse) == WITH_ABSTRACT
    asked = len(crossref.requests)
    with started_run(home, Settings("d")) as run:
        cite(run, BARE)
        assert fetched(run)["n_pending"] == 0
        assert told_by(run.warehouse) == WITH_ABSTRACT
        assert len(crossref.requests) == asked
        assert refresh_sources(run.warehouse, timedelta(0)).moved == []
        monkeypatch.setenv("MEDASSAY_CROSSREF", "0")
        came = refresh_sources(run.warehouse, timedelta(0))
        assert (came.moved, sorted(came.unaskable)) == ([], ["doi:10.5555/1", "pmid:99300001"])


def test_an_outage_of_crossref_is_asked_about_again(home: Path, crossref: Any) -> None:
    crossref.behaviour.bodies["/works/10.5555%2F1"] = crossref.behaviour.bodies["/works/10.5555/1"] = (
        b"<html>"
    )
    with fetching(home, BARE[:2]) as run:
        assert {state for state, _ in states(run.warehouse).values()} == {"found"}
        (reason,) = {reason for _, reason in states(run.warehouse).values()}
        assert reason == "its abstract could not be had: Crossref gave no answer: its answer cannot be read: it is not Crossref's JSON"  # fmt: skip
    crossref.behaviour.bodies.clear()
    with fetching(home, BARE[:2]) as run:
        assert {seen[0] for seen in told_by(run.warehouse).values()} == {"pubmed and crossref"}


def test_where_nobody_answers_what_was_known_stays(
    home: Path, pubmed: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with fetching(home, ids(1, 5000)) as run:
        pubmed.behaviour.always = "error_500"
        came = refresh_sources(run.warehouse, timedelta(0))
        assert (came.n_asked, came.n_answered, came.moved) == (2, 0, [])
        assert came.unanswered.keys() == set(ids(1, 5000))
        monkeypatch.delenv("NCBI_EMAIL")
        with pytest.raises(UsageError, match="set NCBI_EMAIL"):
            refresh_sources(run.warehouse, timedelta(0))
    with fetching(home, ids(1, 5000), offline=True) as run:
        assert counted(run.warehouse) == {"found": 1, "not_found": 1}


def test_what_one_source_says_while_another_is_away_takes_nothing_back(
    home: Path, pubmed: Any, eutils: ModuleType
) -> None:
    pubmed.articles["99400001"] = eutils.Article(
        "99400001", "Open", (("", "", "Short."),), pmcid="PMC9400001", corrections=("RetractionIn",),
        body="<body><p>The whole of it.</p></body>",
    )  # fmt: skip
    with fetching(home, ["pmcid:PMC9400001"]) as run:
        assert flags(run.warehouse)["pmcid:PMC9400001"] == ("found", 1, "yes", "no")
        for faults in (["ok", *["error_500"] * 9], ["error_500", "error_500", "ok"]):
            pubmed.behaviour.queue.clear()
            pubmed.behaviour.queue.extend(faults)
            came = refresh_sources(run.warehouse, timedelta(0))
            assert (came.n_answered, came.moved, list(came.unanswered)) == (0, [], ["pmcid:PMC9400001"])
        pubmed.behaviour.queue.clear()
        assert refresh_sources(run.warehouse, timedelta(0)).n_answered == 1
        assert run.warehouse.value("select count(*) from source") == 1


def test_an_article_that_pubmed_has_no_longer_is_not_read_under_its_doi_either(
    homes: Callable[[str], Path], pubmed: Any, eutils: ModuleType
) -> None:
    cited = ["doi:10.5555/1"]
    pubmed.articles["99300001"] = article(eutils, 1, doi="10.5555/1")
    with fetching(homes("old"), cited) as run:
        assert told_by(run.warehouse) == {"doi:10.5555/1": ("pubmed", "Invented trial 1", 2, "no")}
        there = pubmed.articles.pop("99300001")
        gone = refresh_sources(run.warehouse, timedelta(0))
    assert [(one.source_id, one.what) for one in gone.moved] == [("doi:10.5555/1", "no longer there")]
    seen = []
    for name in ("old", "fresh"):
        with fetching(homes(name), cited) as run:
            seen.append((states(run.warehouse), told_by(run.warehouse)))
    assert seen[0] == seen[1]
    assert seen[0][0]["doi:10.5555/1"][0] == "unverifiable"
    with started_run(homes("old"), Settings("d")) as run:
        pubmed.articles["99300001"] = there
        refresh_sources(run.warehouse, timedelta(0))
        cite(run, cited)
        fetched(run)
        assert told_by(run.warehouse)["doi:10.5555/1"] == ("pubmed", "Invented trial 1", 2, "no")


def test_a_search_that_finds_nothing_takes_no_article_back(
    home: Path, pubmed: Any, eutils: ModuleType
) -> None:
    pubmed.articles["99300001"] = article(eutils, 1, doi="10.5555/1")
    with fetching(home, ["doi:10.5555/1"]) as run:
        pubmed.behaviour.search = {"count": "0", "idlist": []}
        for faults in ([], ["error_500"] * 9):
            pubmed.behaviour.queue.extend(faults)
            came = refresh_sources(run.warehouse, timedelta(0))
            assert (came.moved, list(came.unaskable)) == ([], ["doi:10.5555/1"])
    with fetching(home, ["doi:10.5555/1"]) as run:
        assert counted(run.warehouse) == {"found": 1}


def test_the_highest_version_that_is_filed_counts(
    home: Path, eutils: ModuleType, tmp_path: Path, pubmed: Any
) -> None:
    def version(number: int, version: int) -> Any:
        return eutils.Article(
            str(99300000 + number), f"Version {version}", (("", "", "T."),), version=version
        )

    files = {
        "pubmed26n0001.xml": eutils.pubmed_xml([version(1, 2), version(1, 1), version(2, 1), version(2, 2)]),
        "pubmed26n1500.xml": eutils.pubmed_xml([version(1, 1)], deleted=["99300002"]),
    }
    with started_run(home, Settings("d")) as run:
        for name, body in files.items():
            (tmp_path / name).write_bytes(body)
            add_file(run.warehouse, tmp_path / name)
        cite(run, ids(1, 2))
        fetched(run)
        titles = run.warehouse.rows("select title from current_source")
    assert [row["title"] for row in titles] == ["Version 2", "Version 2"]
    assert pubmed.requests == []


def test_an_abstract_that_files_have_not_is_crossrefs_too(
    home: Path, crossref: Any, tmp_path: Path, eutils: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NCBI_EMAIL")
    articles = [crossref.articles[str(99300000 + number)] for number in (1, 2, 3)]
    for _ in range(2):
        with started_run(home, Settings("d")) as run:
            add_files_in(tmp_path, run.warehouse, [("pubmed26n0001.xml", eutils.pubmed_xml(articles))])
            cite(run, BARE)
            report = fetched(run)
            found = told_by(run.warehouse)
            assert {name: seen[1:] for name, seen in found.items()} == {
                name: seen[1:] for name, seen in WITH_ABSTRACT.items()
            }
            assert found["pmid:99300001"][0] == "pubmed and crossref"
            asked = len(crossref.requests)
    assert (report["n_pending"], len(crossref.requests)) == (0, asked)
