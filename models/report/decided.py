"""Rows that decided a mark, as links from its justification to what the report shows of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from medassay.models.report.rows import Row, list_of, text_of


@dataclass(frozen=True, slots=True)
class Shown:
    """A nugget, a claim or an instruction of the guidance that the report shows: in which list, at which place."""

    kind: Literal["n", "c", "g"]
    place: int
    text: str
    citations: tuple[str, ...] = ()
    """Of a claim: what it cites, in the order in which the report shows it."""


def decided(row: Row, shown: Mapping[str, Shown]) -> list[list[Any]]:
    """Return a link for each row that decided a judgement: kind, place, start and end of its text, place of a citation.

    The justification names the rows that weigh most between stars, in the order of `decided_by`; of the others start
    and end are None. A row that has its link, or that the report does not show, is left out.

    Args:
        row: a judgement.
        shown: what the report shows of the question and the answer, by the id in `decided_by`.
    """
    justification, at = text_of(row.get("justification")), 0
    links: list[list[Any]] = []
    for one in (shown[name] for name in map(text_of, list_of(row.get("decided_by"))) if name in shown):
        found = justification.find(f"*{one.text}*", at)
        if found < 0:
            if [one.kind, one.place] in (link[:2] for link in links):
                continue
            links.append([one.kind, one.place, None, None, None])
            continue
        said, start, at = justification[at:found], found + 1, found + len(one.text) + 2
        cited = [place for place, citation in enumerate(one.citations) if f"cites {citation}, which" in said]
        links.append([one.kind, one.place, start, at - 1, cited[0] if cited else None])
    return links
