"""Certainty: "may help" against "is proven to cure". Not a contradiction, but half a nugget at best."""

import re

from medassay.models.nuggets.contrast.clauses import keys_of, same_matter
from medassay.models.nuggets.evidence import Contrast

HEDGE = re.compile(
    r"\b(?:may|might|could|possibl[ey]|perhaps|suggest\w*|potential(?:ly)?|appears?\sto|seems?\sto|(?:may\sbe\s)?considered|optional(?:ly)?"
    r"|limited\sevidence|mixed\sresults|equivocal|unclear|uncertain|probably|likely)\b",
    re.IGNORECASE,
)
ASSURANCE = re.compile(
    r"\b(?:certain(?:ly)?|definite(?:ly)?|proven|proves?|guarantee\w*|always|undoubtedly|without\sdoubt|conclusive(?:ly)?|100\s?%"
    r"|completely|invariably|cures?|must|mandatory|required?)\b",
    re.IGNORECASE,
)


def check(nugget: str, claim: str, before: str = "") -> Contrast | None:
    """Fire when one side hedges and the other one vouches for the same thing."""
    for hedged, assured, nugget_hedges in ((nugget, claim, True), (claim, nugget, False)):
        hedge, assurance = HEDGE.search(hedged), ASSURANCE.search(assured)
        if hedge is None or assurance is None or HEDGE.search(assured) or ASSURANCE.search(hedged):
            continue
        if not same_matter((keys_of(nugget),), (keys_of(claim),), nugget, claim, before=before):
            continue
        mine, theirs = (hedge, assurance) if nugget_hedges else (assurance, hedge)
        reason = f"nugget says *{mine.group()}*, answer says *{theirs.group()}*"
        return Contrast("certainty", reason, mine.span(), theirs.span(), "partial")
    return None
