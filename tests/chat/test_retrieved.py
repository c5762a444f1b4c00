"""Sources as servers with retrieval name them."""

from typing import Any

import pytest

from medassay.models.chat.responses import retrieved_sources


def reply(**message: Any) -> dict[str, Any]:
    return {"choices": [{"message": {"content": "Yes.", **message}}]}


@pytest.mark.parametrize(
    ("body", "sources"),
    [
        (
            {**reply(), "citations": ["https://pubmed.ncbi.nlm.nih.gov/123/", "https://a.example/x"],
             "search_results": [{"title": "X", "url": "https://a.example/x", "date": None}]},
            [{"marker": "1", "pmid": "123"}, {"marker": "2", "title": "X", "url": "https://a.example/x"}],
        ),
        (
            reply(annotations=[{"type": "url_citation", "url_citation": {"url": "https://b.example", "title": "B"}}]),
            [{"marker": "1", "title": "B", "url": "https://b.example"}],
        ),
        (
            {**reply(), "documents": [{"text": "Aspirin.", "metadata": {"pmid": 7}}, 3, "", "A book"]},
            [{"marker": "1", "content": "Aspirin.", "pmid": "7"}, {"marker": "2", "title": "A book"}],
        ),
    ],
)  # fmt: skip
def test_sources(body: dict[str, Any], sources: list[dict[str, str]]) -> None:
    assert retrieved_sources(body) == sources
