"""Names as citations write them, and the shorter ones that an organisation goes by."""

import re

from medassay.models.text.labels.surnames import author_label

PARTICLES = r"(?:(?:[Dd](?:e|er|en|os|a|i|u)|[Vv][ao]n|[Tt]e[rn]|[Ll][ae]|[AaEe]l|the)(?:\s|-(?=[A-Z])))*"
NAME = r"(?:[A-Z]{4,}-\d{1,2}(?![\w-])|[A-ZÀ-ÖØ-Þ](?:[^\W\d_]|['’-]){1,40}+|[A-Z]{2,}(?:/[A-Z]{2,})*)"
# "et al.", "y cols.", "e colaboradores", "et coll.", "u. a.", "und Mitarbeiter"
_ET_AL_ELSEWHERE = (
    r"(?<![^\W_])(?:(?:y|e|et)\s(?:al\b|cols?\b|coll\b|colab\b|colaborador[ae]s\b|collaborateurs\b"
    r"|collaboratori\b|otros\b)|(?-i:u\.\s?a\.)|und\s(?:Mitarbeiter|Kollegen)\b)"
)
ET_AL = rf"[*_]{{0,2}}(?:<i>)?(?:(?:et|ET)\s(?:al|AL)\b|{_ET_AL_ELSEWHERE})\.?+[*_]{{0,2}}+(?:</i>)?+"
JOINED = r"(?:and|&|und|u\.|et|y|e|i|en|och|og)"
"""What stands between the last two authors; `joins_beyond_doubt` says where a list is needed to be sure."""
_STATE = r"(?:(?:U\.\s?S\.|U\.\s?K\.|US|UK)\s)?"
_ORGANISATION = re.compile(
    rf"\W{{0,4}}{_STATE}(?P<name>[A-Z][a-zA-Z]+(?:\s(?:of|for|on|and|the|in|&)\b|\s[A-Z][a-zA-Z]+){{2,8}})"
    r"(?:\s\((?P<short>[A-Z][A-Za-z-]{1,9})\)(?:\s(?P<more>[A-Z][a-z]+))?)?(?=[.,:]|\s\()"
)
# "UKPDS Group" and "ACCORD Study Group" go by their first word alone.
_GROUP = re.compile(
    r"\W{0,4}(?P<short>[A-Z][A-Z\d-]{2,}[a-z]?)\s(?:[A-Z][a-z]+\s){0,3}"
    r"(?:Group|Investigators|Collaborators|Collaboration|Trialists|Consortium)(?=[.,:]|\s\()"
)
# "Davidson KW, Barry MJ; US Preventive Services Task Force. Screening …"
_BEHIND_AUTHORS = re.compile(
    r"\W{0,4}(?:[A-ZÀ-ÖØ-Þ][\w'’-]+\s[A-Z]{1,3}(?:,\s(?:et\sal\.?)?)?){1,40};\s(?:for\sthe\s|on behalf of the\s)?"
)
_OPENS_WITH_A_STATE = re.compile(r"\W{0,4}U\.?\s?[SK]\.?\s")
_JOINT_NAME = re.compile(r"\b[A-Z]{2,6}(?:/[A-Z]{2,6})+\b")
_INITIALS = re.compile(r"(?<=[a-z])\s(?:[A-Z]{1,3}|(?:[A-Z]\.[\s-]?){1,3})\Z")
_FEWEST_INITIALS = 3
_GOES_BY = {"CDCP": "CDC", "NIHCE": "NICE"}
_FIRST = re.compile(rf",|\s(?:{JOINED}\s|ET\s|{ET_AL})")
_JOINS_ELSEWHERE = re.compile(rf"\s(?!{ET_AL})(?:y|e|i|en|och|og)\s")


def short_names(entry: str) -> tuple[str, ...]:
    """Names that an entry of a reference list may be cited by: `who`, `ukpds group`, `cdc`, `acc/aha`.

    An organisation goes by its initials, by the first of them, or by all but one: CDC is the Centers for Disease
    Control and Prevention, NICE the National Institute for Health and Care Excellence. A study's group goes by the
    name of the study.
    """
    joint = [found[0] for found in _JOINT_NAME.finditer(entry[:300])]
    if group := _GROUP.match(entry):
        joint.append(group["short"])
    behind = _BEHIND_AUTHORS.match(entry)
    name = _ORGANISATION.match(entry, behind.end() if behind else 0)
    if name is None:
        return tuple(short.casefold() for short in joint)
    whole = author_label(name["name"], "").strip()
    initials = "".join(word[0] for word in name["name"].split() if word[0].isupper())
    if given := name["short"]:
        found = [given, f"{given} {name['more']}" if name["more"] else "", whole]
    else:
        begins = _OPENS_WITH_A_STATE.match(entry, behind.end() if behind else 0)
        state = ["US" + initials, "UK" + initials] if begins else []
        first = [initials[:n] for n in range(_FEWEST_INITIALS, len(initials))]
        but_one = [initials[:n] + initials[n + 1 :] for n in range(1, len(initials))]
        found = [initials, *state, *(s for s in (*first, *but_one) if len(s) >= _FEWEST_INITIALS), whole]
    return tuple(dict.fromkeys(short.casefold() for short in (*found, *joint) if short))


def initials_of(names: str) -> tuple[str, ...]:
    """Return what an organisation or a study's group named in full goes by: `ada`, `cdc`, `sprint`."""
    plain = names.strip().removeprefix("The ").removeprefix("the ")
    if group := _GROUP.match(f"{plain}."):
        return (group["short"].casefold(),)
    name = _ORGANISATION.fullmatch(f"{plain}.", 0, len(plain) + 1) or _ORGANISATION.match(f"{plain}.")
    if name is None or name.end("name") != len(plain):
        return ()
    initials = "".join(word[0] for word in name["name"].split() if word[0].isupper())
    state = ["US" + initials] if _OPENS_WITH_A_STATE.match(plain) else []
    return tuple(short.casefold() for short in (_GOES_BY.get(initials, initials), *state))


def first_author(names: str) -> str:
    """Return the first of several authors without initials: `Ridker PM et al.` and `Ridker, P. M.` are `Ridker`."""
    return _INITIALS.sub("", _FIRST.split(names.strip(), maxsplit=1)[0])


def joins_beyond_doubt(more: str | None) -> bool:
    """Tell whether what follows the first author is `et al.` or `and Smith`; `y Ruiz` may join what are no authors."""
    return bool(more) and not _JOINS_ELSEWHERE.search(more or "")
