"""The plain rule: cosine at the threshold aligns, the entailment model says whether it was turned around."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from medassay.models.nuggets.evidence import Entailment, MatchSettings, PairJudgement


@dataclass(frozen=True, slots=True)
class Pair:
    """A claim beside a nugget, with what is needed to judge it.

    `window` is the claim with its neighbours; `wide` holds the claims further around it, one text each, and
    `before` what was said just before: what a pronoun stands for. `frame` counts in how many of the question's
    nuggets each telling word stands; `lead` is the heading or the line that introduces the claim.
    """

    claim_position: int
    nugget_position: int
    claim: str
    nugget: str
    window: str
    cosine: float
    window_cosine: float
    wide: tuple[str, ...] = ()
    before: str = ""
    frame: Mapping[str, int] = field(default_factory=dict)
    lead: str = ""


def judge_by_cosine(pair: Pair, entailment: Entailment, settings: MatchSettings) -> PairJudgement:
    """Judge one pair by its cosine; what everybody ships, kept as the baseline."""
    where = (pair.claim_position, pair.nugget_position, pair.cosine)
    if pair.cosine < settings.threshold:
        return PairJudgement(*where, "none", f"cosine {pair.cosine:.2f} is under {settings.threshold:.2f}")
    turned = contradiction(pair, entailment)
    if turned is not None and turned >= settings.contradiction_cutoff:
        return PairJudgement(
            *where, "contradicted", f"the entailment model reads a contradiction ({turned:.2f})"
        )
    return PairJudgement(*where, "covered", f"cosine {pair.cosine:.2f} reaches {settings.threshold:.2f}")


def contradiction(pair: Pair, entailment: Entailment) -> float | None:
    """Return the contradiction probability of claim → nugget; None where the pair was not scored."""
    verdict = entailment.get((pair.claim, pair.nugget))
    return None if verdict is None else verdict.contradiction
