"""The canary: a word that a judge is told not to repeat, so that one that obeys the material gives itself away."""

import re

from medassay.models.chat.fence import code_word
from medassay.models.chat.reply import Complaint, visible_part

_NO_SIGN_OF_A_CANARY = re.compile(r"[^0-9a-f]+")


class JudgeTakenOver(Complaint):
    """The reply holds the canary: the material, not the instructions, was obeyed."""


def canary_of(secret: bytes, key: str) -> str:
    """Return the word that must not come back from the call about one input."""
    return code_word(secret, key, "canary")


def forbidden(canary: str) -> str:
    """Say, outside the fences, which word must not be repeated."""
    return f"The word {canary} must not appear in your reply."


def repeats(canary: str, text: str) -> bool:
    """Tell whether a text holds the canary, whatever its case, backwards too, and whatever stands between its signs."""
    signs = _NO_SIGN_OF_A_CANARY.sub("", text.lower())
    return canary in signs or canary[::-1] in signs


def refuse_repeated(canary: str, text: str) -> None:
    """Refuse a reply that repeats the canary outside its reasoning.

    Raises:
        JudgeTakenOver: when it does.
        Complaint: when the text ends inside its reasoning.
    """
    if repeats(canary, visible_part(text)):
        raise JudgeTakenOver("the reply repeats the word that must not be repeated")
