"""Findings: evidence that is mixed or missing against a benefit that is plainly said to be there."""

import re

from medassay.models.nuggets.contrast.clauses import clauses, keys_of, same_matter
from medassay.models.nuggets.evidence import Contrast
from medassay.models.nuggets.words import keys

DOUBT = re.compile(
    r"\b(?:(?:mixed|inconclusive|conflicting|inconsistent|contradictory|equivocal|insufficient)\s(?:\w+\s)?(?:results?|evidence|findings|data)"
    r"|(?:results?|evidence|findings|data)\s(?:is|are|was|were|remains?)\s(?:mixed|inconclusive|conflicting|inconsistent|equivocal|insufficient)"
    r"|(?:no|little|not\senough|lack\sof)\s(?:\w+\s)?(?:evidence|proof)|(?:unproven|no\sproven)\b)"
    r"(?:\s(?:regarding|on|of|for|about|that|to\ssuggest|to\ssupport))?",
    re.IGNORECASE,
)
BENEFIT = re.compile(
    r"\b(?:(?:is|are)\s(?:\w+ly\s)?(?:beneficial|effective|helpful|useful|good|proven)|helps?|improves?|enhances?|benefits?|works?|cures?"
    r"|(?:has|have)\s(?:\w+\s)?(?:benefits?|been\s(?:shown|proven)))\b",
    re.IGNORECASE,
)
HEDGED = re.compile(
    r"\b(?:may|might|could|can|possibl[ey]|perhaps|some|suggest\w*|appears?|seems?|not|no|never|n['’]t|little|mixed|unclear|unproven|limited)\b",
    re.IGNORECASE,
)
ABOUT_FINDINGS = frozenset(
    keys_of(
        "mixed inconclusive conflicting inconsistent contradictory equivocal insufficient result evidence finding data"
        " study proof unproven regarding positive effect benefit beneficial effective helpful improve improvement"
        " support suggest"
    )
)


def check(nugget: str, claim: str, before: str = "") -> Contrast | None:
    """Fire when the nugget says that the findings are mixed or absent, and the claim says it plainly works."""
    for mine in clauses(nugget):
        doubt = DOUBT.search(mine.text)
        if doubt is None:
            continue
        for theirs in clauses(claim):
            benefit = BENEFIT.search(theirs.text)
            if benefit is None or HEDGED.search(theirs.text):
                continue
            places = (keys(mine.words),), (keys(theirs.words),)
            if same_matter(*places, nugget, claim, ABOUT_FINDINGS, before) > 0.0:
                said = mine.start + doubt.start(), mine.start + doubt.end()
                heard = theirs.start + benefit.start(), theirs.start + benefit.end()
                reason = f"nugget says *{nugget[slice(*said)]}*, answer says *{claim[slice(*heard)]}*"
                return Contrast("findings", reason, said, heard)
    return None
