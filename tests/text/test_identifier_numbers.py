"""Identifiers that a spreadsheet or a person mangled: read whole, or untraceable, and never another record's."""

import pytest

from medassay.models.records import Answer, CitedSpan, Reference
from medassay.models.sources.identifiers import format_source_id, recognised
from medassay.models.text.claims.decomposition import decompose

UNTRACEABLE = [None]
# What stands behind "PMID: ", and the records that it names.
PMIDS: list[tuple[str, list[str | None]]] = [
    *(
        (written, ["pmid:18765432"])
        for written in (
            "18765432",
            "18 765 432",
            "18\u00a0765\u00a0432",
            "18\u2009765\u202f432",
            "18&nbsp;765&nbsp;432",
            "18\\,765\\,432",
            "18,765,432",
            "18.765.432",
            "18'765'432",
            "18’765’432",
            "18_765_432",
            "187\u200b65432",
            "18765432.0",
            "18765432,00",
            "1.8765432E7",
            "1.8765432e+07",
            "1,8765432E+07",
            "0018765432",
            "18765432.",
            "18765432; see there",
            "18765432²",
            "18765432Epub 2008",
            "18765432に",
        )
    ),
    *(
        (written, UNTRACEABLE)
        for written in (
            "1.8E+07",
            "1,8E7",
            "1.8×10^7",
            "1.8 x 10^7",
            "1876543O",
            "1876543l",
            "I8765432",
            "18765432a",
            "1876 5432",
            "18765 432",
            "187 654 32",
            "18 76 54 32",
            "18, 765, 432",
            "18,765432",
            "1876543 2",
            "1876-5432",
            "18-765-432",
            "18765432.5",
            "1876xxxx",
            "1876…",
            "1876...",
            "18765???",
            "222,333",
            "222 333",
            "123456789",
        )
    ),
    ("876'543", ["pmid:876543"]),
    ("12345678, 23456789", ["pmid:12345678", "pmid:23456789"]),
    ("123456, 234567", ["pmid:123456", "pmid:234567"]),
    ("12345678,23456789", ["pmid:12345678", "pmid:23456789"]),
    ("18765432PMCID: PMC123456", ["pmid:18765432", "pmcid:PMC123456"]),
    # Entries of a list on one line.
    ("12345678 2. Lee K", ["pmid:12345678"]),
    ("1234567 2. Lee K", ["pmid:1234567"]),
]
OTHERS: list[tuple[str, str | None]] = [
    *(
        (written, "pmcid:PMC7654321")
        for written in ("PMC7,654,321", "PMC 7 654 321", "PMCID: 7.654321E6", "PMC7654321v2", "PMC7654321.1")
    ),
    ("PMCID: PMC 765 432", "pmcid:PMC765432"),
    *((written, None) for written in ("PMC765432I", "PMC7.6E+06", "PMC 7654 321", "PMCO654321")),
    *(
        (written, "nct:NCT04280705")
        for written in ("NCT 04 280 705", "NCT04,280,705", "NCT0428-0705", "NCT04280705.")
    ),
    *((w, None) for w in ("NCT0428070S", "NCT04280705O", "NCT 4.28E+06", "NCTO4280705", "NCT04280705-2")),
    ("ISRCTN 12 345 678", "url:https://www.isrctn.com/ISRCTN12345678"),
    ("NBK430,685", "url:https://www.ncbi.nlm.nih.gov/books/NBK430685"),
    ("arXiv:2303.13375v2", "url:https://arxiv.org/abs/2303.13375"),
    *(
        (written, None)
        for written in (
            "ISRCTN1234567O",
            "NBK430685O",
            "DRKS0001234",
            "UMIN00001234O",
            "arXiv:2303.1337O5",
            "arXiv 2303.13375.1",
            "EudraCT 2019-001234-567",
            "CTRI/2020/05/02520O",
            "ACTRN1260500012360O",
        )
    ),
    ("10.1136/bmj.n71.", "doi:10.1136/bmj.n71"),
    ("10.1016/S0140-6736(20)30183-5", "doi:10.1016/s0140-6736(20)30183-5"),
    *(
        (written, None)
        for written in (
            "10.1056/NEJMoa 2034577",
            "doi:10.1056/NEJMoa20…",
            "doi:10.1056/NEJMoa20...",
            "10.1016/j.jacc.2019. 03.010",
            "https://doi.org/10.3389/fphar.2020. 01234",
        )
    ),
    *(
        (f"https://pubmed.ncbi.nlm.nih.gov/{path}", "pmid:18765432")
        for path in ("18765432/", "18,765,432", "18%20765%20432/", "18765432/?x=1#abstract")
    ),
    *(
        (f"https://{address}", None)
        for address in (
            "pubmed.ncbi.nlm.nih.gov/1.8E+07/",
            "pubmed.ncbi.nlm.nih.gov/1876543O/",
            "pubmed.ncbi.nlm.nih.gov/18 765 432/",
            "pubmed.ncbi.nlm.nih.gov/1876…",
            "pmc.ncbi.nlm.nih.gov/articles/PMC765432I/",
            "clinicaltrials.gov/study/NCT042807055",
        )
    ),
]


def cited(answer: Answer) -> list[str | None]:
    return [one.source_id for claim in decompose(answer, "").claims for one in claim.citations]


@pytest.mark.parametrize(("written", "source_ids"), PMIDS, ids=str)
@pytest.mark.parametrize("form", ["Heparin is safe (PMID: {}).", "Heparin is safe. PMID {}"])
def test_a_pmid_is_read_whole_or_not_at_all(form: str, written: str, source_ids: list[str | None]) -> None:
    found = cited(Answer("q", "s", form.format(written)))
    assert found == source_ids


@pytest.mark.parametrize(("written", "source_id"), OTHERS, ids=str)
def test_so_is_every_other_identifier(written: str, source_id: str | None) -> None:
    assert cited(Answer("q", "s", f"Heparin is safe ({written}).")) == [source_id]


def test_the_words_of_a_claim_are_free_of_what_could_not_be_read() -> None:
    (claim,) = decompose(Answer("q", "s", "Heparin is safe (PMID: 18765 432)."), "").claims
    assert (claim.text, [one.marker for one in claim.citations]) == ("Heparin is safe.", ["PMID: 18765 432"])


@pytest.mark.parametrize("text", ["PMC 2% was given.", "NCT5 is a gene.", "See PubMed: 1966–2020."])
def test_a_number_that_is_no_identifier_cites_nothing(text: str) -> None:
    assert cited(Answer("q", "s", text)) == []


@pytest.mark.parametrize(
    ("field", "written", "source_id"),
    [
        *(
            ("pmid", w, "pmid:18765432")
            for w in ("1.8765432E7", "18765432.0", "18.765.432", "PMID 18 765 432")
        ),
        *(("pmid", w, None) for w in ("1.8E+07", "1876543O", "1876 5432", "18765432…5")),
        ("pmcid", "7.654321E6", "pmcid:PMC7654321"),
        ("pmcid", "PMC765432I", None),
        ("nct", "04 280 705", "nct:NCT04280705"),
        ("nct", "NCT0428070S", None),
        ("doi", "10.1056/NEJMoa 2034577", None),
        ("url", "https://pubmed.ncbi.nlm.nih.gov/18 765 432", "pmid:18765432"),
        ("url", "https://pubmed.ncbi.nlm.nih.gov/1.8E+07", None),
    ],
)
def test_so_is_the_field_of_a_reference(field: str, written: str, source_id: str | None) -> None:
    reference = Reference(marker="1", **{field: written})
    assert cited(Answer("q", "s", "Heparin is safe [1].", (reference,))) == [source_id]


@pytest.mark.parametrize(
    ("written", "source_id"),
    [
        *(
            (w, "pmid:18765432")
            for w in ("PMID 18 765 432", "18 765 432", "1.8765432E7", "18765432.0", "18,765,432")
        ),
        *(
            (w, None)
            for w in ("1.8E+07", "PMID:1.8E+07", "1876543O", "222 333", "doi:10.1056/NEJMoa 2034577")
        ),
        # A number of three digits is the label of an entry.
        ("222", None),
    ],
)
def test_so_is_a_citation_given_as_data(written: str, source_id: str | None) -> None:
    answer = Answer("q", "s", "Heparin is safe.", cited_spans=(CitedSpan(0, 16, (written,)),))
    assert cited(answer) == [source_id]


def test_so_is_the_identifier_of_a_document() -> None:
    assert format_source_id("pmid", "1.8765432E7") == "pmid:18765432"
    assert recognised("PMID 18.765.432") == "pmid:18765432"
    assert recognised("PMID 1876543O") is None
    with pytest.raises(ValueError, match=r"'1\.8E\+07' cannot be a pmid"):
        format_source_id("pmid", "1.8E+07")
