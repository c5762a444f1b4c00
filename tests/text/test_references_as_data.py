"""References that come as data: which field says what source an entry is."""

import pytest

from models.records import Answer, Reference
from models.text.claims import decompose


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
        ({"title": "A trial (NCT01234567)"}, "nct:NCT01234567"),
        ({"title": "Passage", "content": "It lowers glucose.", "pmid": "7"}, "pmid:7"),
        ({"title": "Smith J. PMID: 8", "content": "It lowers glucose."}, "pmid:8"),
        ({"nct": "01234567"}, "nct:NCT01234567"),
        ({"nct": "NCT01234567"}, "nct:NCT01234567"),
        ({"pmcid": "1234567"}, "pmcid:PMC1234567"),
        # What the entry says of itself comes first; an address of its own is nearer than a trial's number.
        ({"title": "Reply to PMID: 11111111", "pmid": "222"}, "pmid:222"),
        ({"title": "A trial (NCT01234567)", "url": "https://www.nejm.org/x"}, "url:https://www.nejm.org/x"),
    ],
)
def test_an_identifier_in_a_title_names_the_source(fields: dict[str, str], source_id: str) -> None:
    assert cited(**fields) == source_id


@pytest.mark.parametrize("title", ["PMID 1 and PMID 2 compared", "Metformin https://example.com/article"])
def test_a_title_that_does_not_say_which_is_only_a_title(title: str) -> None:
    assert (cited(title=title) or "").startswith("reference:")
