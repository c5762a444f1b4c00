"""References that come as data: which field says what source an entry is."""

import pytest

from medassay.models.intake.records import to_answer
from medassay.models.intake.references import (
    misread_identifiers,
    references_fault,
    to_references,
    unread_fields,
)
from medassay.models.records import Answer, Reference
from medassay.models.text.claims.decomposition import decompose


def cited(**fields: str) -> str | None:
    answer = Answer("q", "s", "Metformin works [1].", (Reference(marker="1", **fields),))
    (citation,) = decompose(answer, "").claims[0].citations
    return citation.source_id


@pytest.mark.parametrize(
    ("fields", "source_id"),
    [
        ({"title": "Smith J, Doe A. Metformin. JAMA 2020. PMID: 11111111"}, "pmid:11111111"),
        (
            {"title": "Smith J. Metformin. doi:10.1136/bmj.n7", "url": "https://www.bmj.com/x"},
            "doi:10.1136/bmj.n7",
        ),
        ({"source": "BMJ. PMID: 1234"}, "pmid:1234"),
        ({"title": "Metformin. https://www.nhs.uk/x"}, "url:https://www.nhs.uk/x"),
        ({"title": "Passage", "content": "It lowers glucose.", "pmid": "7"}, "pmid:7"),
        ({"title": "Smith J. PMID: 8", "content": "It lowers glucose."}, "pmid:8"),
        ({"nct": "01234567"}, "nct:NCT01234567"),
        ({"nct": "NCT01234567"}, "nct:NCT01234567"),
        ({"pmcid": "1234567"}, "pmcid:PMC1234567"),
        ({"content": "Smith J, Doe A. Metformin. JAMA. 2020;1:2. PMID: 9"}, "pmid:9"),
        # What the entry says of itself comes first; an address of its own is nearer than a trial's number.
        ({"title": "Reply to PMID: 11111111", "pmid": "222"}, "pmid:222"),
        ({"title": "A trial (NCT01234567)", "url": "https://www.nejm.org/x"}, "url:https://www.nejm.org/x"),
    ],
)
def test_an_identifier_in_a_title_names_the_source(fields: dict[str, str], source_id: str) -> None:
    assert cited(**fields) == source_id


@pytest.mark.parametrize(
    ("pmid", "source_id"),
    [
        ("31,234,567", "pmid:31234567"),
        ("31 234 567", "pmid:31234567"),
        ("31234567.0", "pmid:31234567"),
        ("0031234567", "pmid:31234567"),
        ("PMID- 31234567", "pmid:31234567"),
        ("PMID\u201131234567", "pmid:31234567"),
        ("31234567 [pmid]", "pmid:31234567"),
        ("https://pubmed.ncbi.nlm.nih.gov/31234567/", "pmid:31234567"),
        ("PMC7654321", "pmcid:PMC7654321"),
        ("https://pmc.ncbi.nlm.nih.gov/articles/PMC7654321/", "pmcid:PMC7654321"),
        ("NCT04280705", "nct:NCT04280705"),
        ("10.1056/NEJMoa2034577", "doi:10.1056/nejmoa2034577"),
        ("https://doi.org/10.1056/NEJMoa2034577", "doi:10.1056/nejmoa2034577"),
        *((said, None) for said in ("3.12E+07", "312345678", "n/a (2020)", "-1", "0", "1.5", "1e7")),
        *(
            (said, None)
            for said in ("Smith 2020", "222, 333", "222,333", "PMID 222, 333", "222 and 333", "PMID 3.1E+7")
        ),
    ],
)
def test_a_field_for_a_pmid_names_one_record_or_none(pmid: str, source_id: str | None) -> None:
    assert cited(pmid=pmid) == source_id


@pytest.mark.parametrize(
    ("pmid", "source_id"),
    [(18765432.0, "pmid:18765432"), (18800000, "pmid:18800000"), (1.8e07, None), (1.88e07, None)],
)
def test_a_number_that_a_spreadsheet_rounded_names_no_record(pmid: float, source_id: str | None) -> None:
    row = {
        "question_id": "q",
        "system": "s",
        "answer": "Metformin works [1].",
        "references": [{"pmid": pmid}],
    }
    (citation,) = decompose(to_answer(row), "").claims[0].citations
    assert citation.source_id == source_id
    assert [said for _, said in misread_identifiers("answer", row)] == ([] if source_id else [f"{pmid:.2E}"])


def test_what_cannot_be_read_leaves_the_word_to_the_next_identifier() -> None:
    assert cited(pmid="3.12E+07", doi="10.1136/bmj.n7") == "doi:10.1136/bmj.n7"
    assert cited(pmid="222, 333", url="https://pubmed.ncbi.nlm.nih.gov/222/") == "pmid:222"
    assert cited(pmid="https://nejm.org/x", doi="10.1136/bmj.n7") == "doi:10.1136/bmj.n7"
    assert cited(doi="https://nejm.org/x") == "url:https://nejm.org/x"


@pytest.mark.parametrize(
    ("scheme", "written", "source_id"),
    [
        ("pmcid", "7,654,321", "pmcid:PMC7654321"),
        ("pmcid", "PMC12345v2", "pmcid:PMC12345"),
        ("pmcid", "PMC\u20116543210", "pmcid:PMC6543210"),
        ("pmcid", "PMID: 222", "pmid:222"),
        ("doi", "10.1016/S0140\u20116736(20)30183\u20115", "doi:10.1016/s0140-6736(20)30183-5"),
        ("doi", "10.1136/a.1; 10.1136/a.2", None),
        ("nct", "NCT\u201104280705", "nct:NCT04280705"),
    ],
)
def test_the_other_fields_are_read_with_the_same_care(
    scheme: str, written: str, source_id: str | None
) -> None:
    assert cited(**{scheme: written}) == source_id


def test_a_passage_may_speak_of_a_record_that_it_is_not() -> None:
    assert (cited(content="Metformin lowers glucose. PMID: 9") or "").startswith("reference:")


@pytest.mark.parametrize(
    ("listed", "label", "source_id"),
    [
        (["[3] Smith J. PMID: 1", "[7] Lee K. PMID: 2"], "7", "pmid:2"),
        (["2. Smith J. PMID: 1", "1. Lee K. PMID: 2"], "1", "pmid:2"),
        (["Smith J. PMID: 1", "Lee K. PMID: 2"], "2", "pmid:2"),
        ({"1": "PMID: 1111", "b": {"pmid": 2}}, "b", "pmid:2"),
        ({"1": "PMID: 1111", "b": {"pmid": 2}}, "1", "pmid:1111"),
        ([{"ref": 5, "citation": "Smith J. Metformin. JAMA 2020. PMID: 3"}], "5", "pmid:3"),
        ([{"key": "smith2020", "uri": "https://doi.org/10.1136/bmj.n7"}], "smith2020", "doi:10.1136/bmj.n7"),
    ],
)
def test_a_list_says_itself_which_number_is_which(listed: object, label: str, source_id: str) -> None:
    row = {"question_id": "q", "system": "s", "answer": f"Metformin works [{label}].", "references": listed}
    assert references_fault(row) is None
    (citation,) = decompose(to_answer(row), "").claims[0].citations
    assert citation.source_id == source_id


@pytest.mark.parametrize(
    ("entry", "label", "source_id"),
    [
        # What another system numbers its entries by is no document of ours, whatever else the entry names.
        ({"id": 1, "title": "A", "url": "https://pubmed.ncbi.nlm.nih.gov/31234567/"}, "1", "pmid:31234567"),
        ({"id": 7, "title": "A", "url": "https://www.nhs.uk/x"}, "7", "url:https://www.nhs.uk/x"),
        ({"id": "src_1", "url": "https://www.nhs.uk/x"}, "src_1", "url:https://www.nhs.uk/x"),
        ({"id": "PMID:31234567", "title": "A trial"}, "1", "pmid:31234567"),
        ({"id": "10.1136/bmj.n7", "title": "A trial"}, "1", "doi:10.1136/bmj.n7"),
        ({"id": "31234567", "source": "pubmed"}, "1", "pmid:31234567"),
        ({"id": "d-1"}, "1", "document:d-1"),
        # Names as vendors spell them.
        ({"citationNumber": 4, "pubmedId": "31234567", "articleTitle": "A"}, "4", "pmid:31234567"),
        ({"num": 4, "PubMedID": 31234567.0, "Title": "A"}, "4", "pmid:31234567"),
        ({"Number": 4, "Title": "A", "URL": "https://www.nhs.uk/x"}, "4", "url:https://www.nhs.uk/x"),
        ({"index": 3, "source_url": "https://www.nhs.uk/x"}, "3", "url:https://www.nhs.uk/x"),
        ({"n": 2, "text": "Smith J. Metformin. JAMA 2020;1:2. PMID: 3"}, "2", "pmid:3"),
        ({"refId": "b12", "fullCitation": "Smith J. Metformin. PMID: 3"}, "b12", "pmid:3"),
        ({"source": "https://www.nhs.uk/x", "title": "NHS"}, "1", "url:https://www.nhs.uk/x"),
        # An object within the entry, and a list of one.
        ({"title": "A", "metadata": {"pmid": "31234567", "year": 2020}}, "1", "pmid:31234567"),
        ({"metadata": {"source": "https://a.org/x", "title": "A"}}, "1", "url:https://a.org/x"),
        ({"web": {"uri": "https://a.org/x", "title": "a.org"}}, "1", "url:https://a.org/x"),
        ({"title": "A", "externalIds": {"PubMed": "31234567", "DOI": "10.1/x"}}, "1", "pmid:31234567"),
        ({"pmid": ["31234567"], "title": "A"}, "1", "pmid:31234567"),
    ],
    ids=str,
)
def test_entries_as_vendors_shape_them(entry: dict[str, object], label: str, source_id: str) -> None:
    row = {"question_id": "q", "system": "s", "answer": f"Metformin works [{label}].", "references": [entry]}
    assert references_fault(row) is None
    assert unread_fields(row) == frozenset()
    (citation,) = decompose(to_answer(row), "").claims[0].citations
    assert citation.source_id == source_id


BOTH = ["pmid:12345678", "pmid:23456789"]


@pytest.mark.parametrize(
    ("pmid", "source_ids"),
    [
        ("12345678; 23456789", BOTH),
        ("PMID: 12345678 and PMID: 23456789", BOTH),
        ([12345678, 23456789, 12345678.0], BOTH),
        ("12,345,678", ["pmid:12345678"]),
        # Groups of a longer number, a range, and what is no PMID beside one.
        ("222, 333", None),
    ],
    ids=str,
)
def test_several_pmids_in_one_field_are_all_cited(pmid: object, source_ids: list[str] | None) -> None:
    entry = {"pmid": pmid, "title": "Two trials"}
    row = {"question_id": "q", "system": "s", "answer": "Metformin works [1].", "references": [entry]}
    assert references_fault(row) is None
    assert (not list(misread_identifiers("answer", row))) is (source_ids is not None)
    for given in (
        row,
        {**row, "answer": None, "sentences": [{"text": "Metformin works.", "citations": ["1"]}]},
    ):
        answer = to_answer({name: value for name, value in given.items() if value is not None})
        found = [citation.source_id for citation in decompose(answer, "").claims[0].citations]
        if source_ids:
            assert found == source_ids
        else:
            assert len(found) == 1 and "pmid:" not in str(found)


@pytest.mark.parametrize("pmid", [["1", "2"], ["12345678", "n/a"], [["12345678"], "23456789"]], ids=str)
def test_a_list_that_is_not_plainly_of_pmids_is_a_fault(pmid: object) -> None:
    assert references_fault({"references": [{"pmid": pmid}]}) is not None


def test_an_id_of_a_supplied_document_comes_before_an_address() -> None:
    row = {
        "question_id": "q",
        "system": "s",
        "answer": "Metformin works [1].",
        "references": [{"id": "d-1", "url": "https://www.nhs.uk/x"}],
    }
    (citation,) = decompose(to_answer(row), "", ("D-1",)).claims[0].citations
    assert citation.source_id == "document:D-1"


def test_one_reference_is_no_list_by_labels() -> None:
    assert references_fault({"references": {"pmid": "1", "title": "Metformin"}}) is not None


@pytest.mark.parametrize("title", ["PMID 1 and PMID 2 compared", "Metformin https://example.com/article"])
def test_a_title_that_does_not_say_which_is_only_a_title(title: str) -> None:
    assert (cited(title=title) or "").startswith("reference:")


@pytest.mark.parametrize(
    "fields",
    [
        {"authors": "Smith J, Doe A, Lee K", "year": 2020},
        {"authors": ["Smith, John", "Doe, Anna"], "publication_date": "2020-05-01"},
        {"authors": ["John Smith", "Anna Doe"], "date": "1 May 2020"},
        {"author": [{"family": "Smith", "given": "John B."}], "issued": {"date-parts": [[2020, 5]]}},
        {"authors": [{"name": "Smith J"}], "year": 2020.0},
        {"author": "Smith, John and Doe, Anna", "year": "{2020}"},
        {"Authors": "Smith J et al.", "Year": 2020},
    ],
    ids=str,
)
def test_authors_and_year_in_fields_of_their_own_are_cited_by(fields: dict[str, object]) -> None:
    others = [{"authors": "Jones B", "year": 2020, "pmid": "22222222", "title": "Smith 2020 revisited"}]
    entry = {**fields, "title": "Metformin from 1990 to 2015", "pmid": "11111111"}
    row = {
        "question_id": "q",
        "system": "s",
        "answer": "Metformin works (Smith et al., 2020).",
        "references": [*others, entry],
    }
    assert references_fault(row) is None
    (claim,) = decompose(to_answer(row), "").claims
    assert [citation.source_id for citation in claim.citations] == ["pmid:11111111"]


def test_an_entry_without_authors_of_its_own_is_what_it_was() -> None:
    (reference,) = to_answer(
        {"question_id": "q", "system": "s", "answer": "a", "references": [{"pmid": 1, "journal": "BMJ"}]}
    ).references
    assert type(reference) is Reference


def test_the_letter_behind_a_year_tells_two_works_apart() -> None:
    listed = [
        {"authors": "Smith J", "year": f"2020{letter}", "pmid": pmid} for letter, pmid in (("a", 1), ("b", 2))
    ]
    row = {
        "question_id": "q",
        "system": "s",
        "answer": "Metformin works (Smith, 2020b).",
        "references": listed,
    }
    (claim,) = decompose(to_answer(row), "").claims
    assert [citation.source_id for citation in claim.citations] == ["pmid:2"]


def test_a_snippet_is_what_a_reference_says() -> None:
    row = {
        "question_id": "q",
        "system": "s",
        "answer": "Metformin works [1].",
        "references": [
            {"url": "https://www.nhs.uk/x", "snippet": "Metformin lowers glucose.", "scores": [0.3]}
        ],
    }
    assert references_fault(row) is None
    (source,) = decompose(to_answer(row), "").sources
    assert source.content == "Metformin lowers glucose."


@pytest.mark.parametrize(
    "said",
    [
        "1. Smith J, Doe A. Aspirin. BMJ 2020;1:2. PMID: 11111111\n2. Lee K. Statins. JAMA 2021;3:4. PMID: 22222222",
        "[1] Smith J. BMJ 2020. PMID 11111111 [2] Lee K. Lancet 2021. PMID 22222222",
        "Smith J. Aspirin. BMJ 2020;1:2. PMID: 11111111\nLee K. Statins. Lancet 2021;3:4. PMID: 22222222",
        "https://pubmed.ncbi.nlm.nih.gov/11111111/\nhttps://pubmed.ncbi.nlm.nih.gov/22222222/",
        "PMID 11111111, PMID 22222222",
        "Smith J. BMJ 2020. PMID 11111111; Lee K. Lancet 2021. PMID 22222222",
        "References:\n1. PMID 11111111\n2. PMID 22222222",
    ],
)
@pytest.mark.parametrize("in_a_list", [False, True])
def test_one_text_may_hold_all_references(said: str, in_a_list: bool) -> None:
    if in_a_list and "\n" not in said:
        return
    references = [said] if in_a_list else said
    assert references_fault({"references": references}) is None
    answer = Answer("q", "s", "It helps [1]. It is safe [2].", to_references(references))
    cited = [[c.source_id for c in claim.citations] for claim in decompose(answer, "").claims]
    assert cited == [["pmid:11111111"], ["pmid:22222222"]]


@pytest.mark.parametrize(
    "said", ["none", "x", "Statins work (BMJ 2020, PMID 111111); they are safe (Lancet 2021)"]
)
def test_a_text_that_is_no_list_of_references_is_refused(said: str) -> None:
    assert references_fault({"references": said}) is not None
