"""Rules of single answers: what an answer must not do, whatever the means say."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from medassay.models.gate.measured import MeasuredAnswer, Span

if TYPE_CHECKING:
    from medassay.models.gate.baseline import BaselineAnswer


@dataclass(frozen=True, slots=True)
class Fault:
    """One place where an answer breaks a rule: what is said of it, and the claim that does it."""

    message: str
    claim: Span | None = None
    evidence: str | None = None


Find = Callable[[MeasuredAnswer, "BaselineAnswer | None"], Iterator[Fault]]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule by its name in `fail_on` and `warn_on`.

    Attributes:
        name: What the configuration calls it.
        means: What it forbids, for a reader of a report.
        needs: A metric that has a value or `not_applicable` exactly where the rule could be looked at.
        find: Yields an answer's faults, given the same answer's row of the baseline.
        needs_baseline: Whether it says nothing without one.
    """

    name: str
    means: str
    needs: str
    find: Find
    needs_baseline: bool = False


def _contradicted(answer: MeasuredAnswer, before: "BaselineAnswer | None") -> Iterator[Fault]:
    for one in answer.contradicted:
        yield Fault(f'contradicts the {one.importance} nugget "{one.nugget}"', _first(one.claims), one.reason)


def _contradicted_vital(answer: MeasuredAnswer, before: "BaselineAnswer | None") -> Iterator[Fault]:
    for one in answer.contradicted:
        if one.importance == "vital":
            yield Fault(f'contradicts the vital nugget "{one.nugget}"', _first(one.claims), one.reason)


def _newly_contradicted(answer: MeasuredAnswer, before: "BaselineAnswer | None") -> Iterator[Fault]:
    known = before.contradicted if before else ()
    of = (
        "which the baseline's answer does not"
        if before
        else "and the baseline has no answer of this system to it"
    )
    for one in answer.contradicted:
        if one.nugget not in known:
            yield Fault(f'contradicts the nugget "{one.nugget}", {of}', _first(one.claims), one.reason)


_SAID = {
    "contradicts": "says the opposite of",
    "not_found": "does not exist, cited for",
    "untraceable": "leads to no source, cited for",
}


def _citations(state: str) -> Find:
    def find(answer: MeasuredAnswer, before: "BaselineAnswer | None") -> Iterator[Fault]:
        for one in answer.citations:
            if one.state == state:
                source = f" ({one.source_id})" if one.source_id else ""
                yield Fault(
                    f"{one.citation}{source} {_SAID[state]}: {one.claim.claim}",
                    one.claim,
                    one.sentence or one.reason,
                )

    return find


def _newly_faulty(answer: MeasuredAnswer, before: "BaselineAnswer | None") -> Iterator[Fault]:
    known = before.citations if before else ()
    for one in answer.citations:
        if one.fault not in known:
            source = f" ({one.source_id})" if one.source_id else ""
            said = f"{_SAID.get(one.state, 'is retracted, cited for')}: {one.claim.claim}"
            yield Fault(
                f"{one.citation}{source} {said} (not in the baseline)", one.claim, one.sentence or one.reason
            )


def _retracted(answer: MeasuredAnswer, before: "BaselineAnswer | None") -> Iterator[Fault]:
    for one in answer.citations:
        if one.retracted == "yes":
            yield Fault(
                f"{one.citation} ({one.source_id}) is retracted, cited for: {one.claim.claim}", one.claim
            )


def _first(claims: tuple[Span, ...]) -> Span | None:
    return claims[0] if claims else None


def _dont_said(answer: MeasuredAnswer, before: "BaselineAnswer | None") -> Iterator[Fault]:
    for one in answer.donts_said:
        yield Fault(f'does what the guidance forbids: "{one.words}"', _first(one.claims), one.reason)


# A rule of other rows takes three steps: its rows become a field of `MeasuredAnswer`, tasks/gating.py fills it, and a
# `Rule` stands here.
RULES = {
    rule.name: rule
    for rule in (
        Rule("contradicted", "a nugget is contradicted", "nugget_coverage", _contradicted),
        Rule("contradicted_vital", "a vital nugget is contradicted", "nugget_coverage", _contradicted_vital),
        Rule(
            "newly_contradicted",
            "a nugget is contradicted that was not in the baseline",
            "nugget_coverage",
            _newly_contradicted,
            needs_baseline=True,
        ),
        Rule(
            "citation_contradicts",
            "a cited source says the opposite",
            "citation_precision",
            _citations("contradicts"),
        ),
        Rule(
            "citation_not_found",
            "a cited source does not exist",
            "citation_precision",
            _citations("not_found"),
        ),
        Rule(
            "citation_untraceable",
            "a marker leads to no source",
            "citation_precision",
            _citations("untraceable"),
        ),
        Rule(
            "newly_faulty_citation",
            "a citation contradicts its claim, leads nowhere or is retracted, and was not so in the baseline",
            "citation_precision",
            _newly_faulty,
            needs_baseline=True,
        ),
        Rule("citation_retracted", "a cited source is retracted", "citation_precision", _retracted),
        Rule("dont_said", "the answer does what the guidance forbids", "guidance_kept", _dont_said),
    )
}
DEFAULT_RULES = (
    "newly_contradicted",
    "contradicted_vital",
    "citation_contradicts",
    "citation_not_found",
    "citation_retracted",
)
"""What fails a gate whose configuration names no rules."""
