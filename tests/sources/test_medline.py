"""PubMed's XML: standing, books, odd dates and markup; read without any network."""

import io
import os
import re
import socket
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from medassay.models.records import Section, SourceRecord
from medassay.models.sources.article import record_of
from medassay.models.sources.markup import plain
from medassay.models.sources.medline import Unreadable, read_medline

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail whatever tries to reach another machine while reading."""

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("reading XML must not open a connection")

    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


def read_one(body: bytes) -> SourceRecord:
    [(_, element)] = list(read_medline(io.BytesIO(body)))
    record = record_of(element)
    assert record is not None
    return record


@pytest.mark.parametrize(
    "corrections, types, flags",
    [
        ((), (), ("no", "no", "no")),
        (("RetractionIn",), (), ("yes", "no", "no")),
        (("RetractedandRepublishedIn",), (), ("yes", "no", "no")),
        ((), (("D016441", "Retracted Publication"),), ("yes", "no", "no")),
        ((), (("D016440", "Retraction of Publication"),), ("no", "no", "no")),
        (
            ("RetractionOf", "ErratumFor", "ExpressionOfConcernFor", "CommentIn", "Cites"),
            (),
            ("no", "no", "no"),
        ),
        (("ExpressionOfConcernIn",), (), ("no", "yes", "no")),
        (("ErratumIn", "CommentIn"), (), ("no", "no", "yes")),
        (("CorrectedandRepublishedIn",), (), ("no", "no", "yes")),
        (("ErratumIn", "ExpressionOfConcernIn", "RetractionIn"), (), ("yes", "yes", "yes")),
    ],
)
def test_standing_is_read_from_comments_and_types(
    eutils: ModuleType, corrections: Any, types: Any, flags: Any
) -> None:
    article = eutils.Article(
        "99000100", corrections=corrections, types=(("D016428", "Journal Article"), *types)
    )
    record = read_one(eutils.pubmed_xml([article]))
    assert (record.retracted, record.concern, record.erratum) == flags


def test_a_book_chapter_is_read(eutils: ModuleType) -> None:
    chapter = eutils.Article(
        "99000200",
        "An invented syndrome",
        (("CLINICAL CHARACTERISTICS", "", "It is invented."), ("MANAGEMENT", "", "None is needed.")),
        year="2015",
        journal="Invented Reviews",
        types=(("D016454", "Review"),),
        book=True,
    )
    assert read_one(eutils.pubmed_xml([chapter])) == SourceRecord(
        source_id="pmid:99000200",
        title="An invented syndrome",
        sections=(
            Section("CLINICAL CHARACTERISTICS", "It is invented."),
            Section("MANAGEMENT", "None is needed."),
        ),
        year=2015,
        journal="Invented Reviews",
        publication_types=("Review",),
        url="https://pubmed.ncbi.nlm.nih.gov/99000200/",
        retracted="no",
        concern="unchecked",
        erratum="unchecked",
        identifiers=("pmid:99000200",),
    )


def test_all_parts_of_an_abstract_with_their_labels(eutils: ModuleType) -> None:
    article = eutils.Article(
        "99000300",
        "Mortality at 10<sup>-3</sup> mol/L CO<sub>2</sub> in <i>E. coli</i>: A &lt; B",
        (
            ("AIMS &amp; SCOPE".replace("&amp;", "&"), "OBJECTIVE", "To see, with p&lt;0.05 &amp; care."),
            ("", "METHODS", "We\n   looked."),
            ("", "UNASSIGNED", "Unassigned."),
            ("EMPTY", "RESULTS", " "),
            (
                "",
                "",
                "A <b>bold</b> x<sup>2</sup>, CO<sub>2</sub>, p<sup>a</sup> and <i>n<sub>max</sub></i>.",
            ),
        ),
        other_abstracts=(("plain-language-summary", "eng", "In short."), ("Publisher", "fre", "En bref.")),
    )
    record = read_one(eutils.pubmed_xml([article]))
    assert record.title == "Mortality at 10⁻³ mol/L CO₂ in E. coli: A < B"
    assert record.sections == (
        Section("AIMS & SCOPE", "To see, with p<0.05 & care."),
        Section("METHODS", "We looked."),
        Section("", "Unassigned."),
        Section("", "A bold x², CO₂, p^(a) and nmax."),
        Section("PLAIN LANGUAGE SUMMARY", "In short."),
    )


@pytest.mark.parametrize(
    "formula, text",
    [
        ("<msup><mn>10</mn><mn>5</mn></msup>", "10⁵"),
        ("<mn>3</mn><mo>×</mo><msup><mn>10</mn><mrow><mo>-</mo><mn>6</mn></mrow></msup>", "3×10⁻⁶"),
        ("<mn>2</mn><mfrac><mn>1</mn><mn>2</mn></mfrac>", "2(1/2)"),
        ("<mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mi>c</mi></mfrac>", "((a+b)/c)"),
        ("<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>", "x_(i)²"),
        ("<msqrt><mi>a</mi><mo>+</mo><mn>1</mn></msqrt>", "√(a+1)"),
        ("<mroot><mn>8</mn><mn>3</mn></mroot>", "³√(8)"),
        ("<mmultiscripts><mi>F</mi><mprescripts/><none/><mn>18</mn></mmultiscripts>", "¹⁸F"),
        ("<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover>", "∑_(i=1)ⁿ"),
    ],
)  # fmt: skip
def test_a_formula_says_the_same_number(eutils: ModuleType, formula: str, text: str) -> None:
    math = f'<mml:math xmlns:mml="http://www.w3.org/1998/Math/MathML"><mml:mrow>\n {formula}</mml:mrow></mml:math>'
    prefixed = re.sub(r"<(/?)(?=m\w|none)(?!mml:)", r"<\1mml:", math)
    article = eutils.Article("99000303", sections=(("", "", f"At {prefixed} mg."),))
    assert read_one(eutils.pubmed_xml([article])).sections == (Section("", f"At {text} mg."),)


@pytest.mark.parametrize(
    "date, year",
    [
        ("<Year>2019</Year>", 2019),
        ("<MedlineDate>Winter 1976</MedlineDate>", 1976),
        ("<MedlineDate>undated</MedlineDate>", None),
    ],
)
def test_years(eutils: ModuleType, date: str, year: int | None) -> None:
    body = eutils.pubmed_xml([eutils.Article("99000400")])
    assert read_one(body.replace(b"<PubDate><Year>2019</Year>", f"<PubDate>{date}".encode())).year == year


def test_articles_and_deletions_come_in_order(eutils: ModuleType) -> None:
    articles = [eutils.Article(str(99000600 + n), book=n == 1) for n in range(3)]
    read = list(read_medline(io.BytesIO(eutils.pubmed_xml(articles, deleted=["99000001", "99000002"]))))
    assert [tag for tag, _ in read] == [
        "PubmedArticle",
        "PubmedBookArticle",
        "PubmedArticle",
        "DeleteCitation",
    ]
    assert [str(pmid) for pmid in read[3][1]] == ["99000001", "99000002"]


@pytest.mark.parametrize(
    "body, reason",
    [
        (b"", "it is empty"),
        (b'{"error": "x"}', "it is no XML (not well-formed (invalid token))"),
        (
            b'<!DOCTYPE eSearchResult SYSTEM "https://eutils.ncbi.nlm.nih.gov/eutils/dtd/20060628/esearch.dtd">'
            b"<eSearchResult><Count>0</Count></eSearchResult>",
            "it is not PubMed XML (its root is <eSearchResult>, line 1)",
        ),
        (b"<html><body/></html>", "it is not PubMed XML (its root is <html>, line 1)"),
        (b"<PubmedArticleSet>\n<PubmedArticle>", "it is cut off (no element found, line 2, column 15)"),
        (
            b'<!DOCTYPE a SYSTEM "https://example.org/evil.dtd"><a/>',
            "it is not PubMed XML (its DTD is evil.dtd, line 1)",
        ),
    ],
)
def test_what_is_not_pubmed_is_named(body: bytes, reason: str) -> None:
    with pytest.raises(Unreadable) as caught:
        list(read_medline(io.BytesIO(body)))
    assert str(caught.value) == reason


@pytest.mark.parametrize(
    "escaped, text",
    [
        ("a &lt; b &amp; c", "a < b & c"),
        ("10<sup>−5</sup> m<sup>2</sup>", "10⁻⁵ m²"),
        ("Ca<sup>2+</sup> and H<sub>2</sub>O", "Ca²⁺ and H₂O"),
        ("IC<sub>50</sub>", "IC₅₀"),
        ("see<sup>†</sup>", "see†"),
        ("10<sup>–3</sup> M", "10⁻³ M"),
        ("10<sup><b>6</b></sup> and <sup><i>-</i>6</sup>", "10⁶ and ⁻⁶"),
        ("10<sup>10<sup>2</sup></sup>", "10^(10²)"),
        ("<sup>18</sup>F on the 5<sup>th</sup> day", "¹⁸F on the 5th day"),
        ("C<sub>max</sub>, VO<sub>2max</sub>, 10<sub>a</sub>", "Cmax, VO_(2max), 10_(a)"),
        ("one<br/>two<br>three", "one two three"),
        ("R&amp;notable AT&T &#945; &amp;#x3b1;", "R&notable AT&T α α"),
        ("<b><i>crossed</b></i> and <p>open", "crossed and open"),
        ("  two\n\t lines ", "two lines"),
        ("&amp;#xD83D;&amp;#0; &#99999999999;", "\ufffd\ufffd &#99999999999;"),
    ],
)
def test_markup_becomes_text(escaped: str, text: str) -> None:
    assert plain(escaped) == text


def test_reading_leaves_nothing_in_the_home_folder(tmp_path: Path) -> None:
    code = (
        "import io; from medassay.models.sources.medline import read_medline; "
        "print(len(list(read_medline(io.BytesIO(b'<PubmedArticleSet></PubmedArticleSet>')))))"
    )
    environment = {**os.environ, "HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    ended = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert (ended.stdout, list(tmp_path.iterdir())) == ("0\n", [])
