"""Contacts: phone numbers, mail and network addresses, and links that name a patient."""

import ipaddress
import re
from collections.abc import Iterator

from medassay.models.phi.grammar import NO_MEASURE, YEARS, Kind, Look, Rule, digits_in, whole

_VERSION = re.compile(
    r"(?:version|build|release|firmware|section|chapter|software|\bEC|\bv)\.?:? ?$", re.IGNORECASE
)

PROFILE = re.compile(
    r"(?:facebook|instagram|linkedin|twitter|tiktok|threads)\.com/(?:in/|@)?(?P<found>[\w.-]{3,})|(?<!\w)x\.com/(?P<x>\w{3,})",
    re.IGNORECASE,
)
"""The page of a person at a social network, whose last part is mostly the name."""
_PHONE = (
    r"tel(?:efon(?:nummer)?|ephone|éfono|efono)?|tél(?:éphone)?|phone|mobile|mobil|móvil|handy(?:nummer)?|"
    r"cell(?:phone)?|fax|whats ?app|rufnummer|portable|телефон|тел"
)
_CALL = (
    r"(?:call|text|ring|dial|reach|contact|message|whatsapp|appelez|llame|rufen)"
    r"(?:[ -](?:me|us|him|her|them|moi|sie mich))?(?: back)?(?: (?:on|at|au|al|an|unter))?|"
    r"(?:my|our|his|her|meine|mon|mi) (?:number|nummer|numéro|número)(?: (?:is|ist|est(?: le)?|es))?"
)
_NUMBER = r"(?P<found>[+(]?\d(?:[ ()/.-]{0,2}\d){6,14})(?![\w%]|[.,/]\d)"
_NATIONAL = (
    r"\(\d{3}\)[ .-]?\d{3}[ .-]?\d{4}",  # (415) 555-0132
    r"(?:1[ .-])?\d{3}(?P<sign>[.-])\d{3}(?P=sign)\d{4}",  # 1-415-555-0132
    r"[2-9]\d{2} [2-9]\d{2} \d{4}",  # 415 555 0132
    r"00[1-9]\d{0,2}(?:[ /-]?\(?\d{1,8}\)?){2,6}",  # 0049 711 1234567
    r"\(?0\d{1,5}\)?[ /-]{1,3}\d{3,8}(?:[ -]\d{2,5}){0,2}",  # 020 7946 0958, 0711 1234567, (0711) 1234567
    r"0\d(?:[ .-]\d{2}){4}",  # 06 12 34 56 78
    r"07\d{9}",  # 07700900123
    r"[6-9]\d{4}[ -]\d{5}",  # 98765 43210
)
_EVERYBODYS_NUMBER = re.compile(
    r"(?:\+?1[ .-]?)?\(?8(?:00|33|44|55|66|77|88)\)?[ .-]|0(?:800|808|300|345)|116[ -]?\d{3}$"
)
_EVERYBODYS_MAIL = re.compile(
    r"(?:med)?info|contact|kontakt|support|help|press|media|office|admin|editor\w*|permissions|reprints?|service|"
    r"customer\w*|en?quir\w+|inquir\w+|no-?reply|webmaster|sales|feedback",
    re.IGNORECASE,
)
_ROUND = re.compile(r"[1-9][\d ]*(?:00 |000$)[\d ]*")
"""Amounts that are written in groups: 150 000, 500 1000 1500."""
_MAILBOX = re.compile(
    r"[\w.+-]{1,64}(?:@|%40)[\w-]{1,63}(?:\.[\w-]{1,63}){0,5}\.[a-z]{2,12}(?![\w.-]*\d)", re.IGNORECASE
)
_IN_THE_PATH = re.compile(
    r"/(?:patients?|patienten|mrn)[/:=](?P<value>[\w.~%-]*\d{4}[\w.~%-]*)", re.IGNORECASE
)
_FIELD = re.compile(r"(?<=[?&#;])(?P<name>[\w.-]{1,40})=(?P<value>[^&#;\s]+)")
_WORDS: dict[Kind, str] = {
    "name": "patientname firstname lastname fullname surname familyname givenname forename vorname nachname",
    "record number": "mrn patientid patientno patientnumber patient pid medicalrecord medicalrecordnumber chartno "
    "nhsno nhsnumber",
    "insurance number": "ssn insuranceno insurancenumber insuranceid policyno policynumber memberid",
    "date": "dob birthdate dateofbirth geburtsdatum",
    "phone": "phone phoneno phonenumber telephone mobile cellphone",
    "address": "street streetaddress homeaddress postaladdress",
}
_FIELDS = {word: kind for kind, words in _WORDS.items() for word in words.split()}
_ONLY_BESIDE_THOSE: dict[str, Kind] = {"name": "name", "address": "address", "tel": "phone"}
"""Fields that may as well be of a drug or a clinic, where nothing else in the address is a patient's."""


def _of_a_machine(match: re.Match[str]) -> tuple[int, int] | None:
    """Take what is an IP address, and no version of a program."""
    try:
        ipaddress.ip_address(match.group())
    except ValueError:
        return None
    before = match.string[max(0, match.start() - 12) : match.start()]
    return None if _VERSION.search(before) else match.span()


NETWORKS = (
    Rule("network address", r"(?<![\w:.-])(?:\d{1,3}\.){3}\d{1,3}(?![\w:-]|\.\d)", _of_a_machine),
    Rule(
        "network address",
        r"(?<![\w:.])(?=[\dA-Fa-f:]*:[\dA-Fa-f:]*:)[\dA-Fa-f:]{4,39}(?![\w:])",
        _of_a_machine,
    ),
    Rule(
        "network address",
        r"(?<![\w:-])[\dA-Fa-f]{2}(?:(?P<sign>[:-])[\dA-Fa-f]{2})(?:(?P=sign)[\dA-Fa-f]{2}){4}(?![\w:-])",
    ),
)


def _phone(least: int) -> Look:
    """Take a number of at least so many digits that is neither an amount nor everybody's."""

    def look(match: re.Match[str]) -> tuple[int, int] | None:
        start, end = whole(match)
        text = match.string[start:end]
        decimal = " " in text and re.search(r"\d\.\d", text)
        other = decimal or YEARS.fullmatch(text) or _ROUND.fullmatch(text) or _EVERYBODYS_NUMBER.match(text)
        return None if other or not least <= digits_in(text) <= 15 else (start, end)

    return look


def is_everybodys_mailbox(name: str) -> bool:
    """Tell whether what stands before the @ is an office's and no person's."""
    return _EVERYBODYS_MAIL.fullmatch(name) is not None


def _own_mail(match: re.Match[str]) -> tuple[int, int] | None:
    return None if is_everybodys_mailbox(match.group().partition("@")[0]) else match.span()


MAIL = (
    Rule("email", r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,6}\b", _own_mail),
    # jane (dot) doe (at) mail.example
    Rule(
        "email",
        r"(?<![\w.])[\w.]{1,40}(?: ?\(dot\) ?\w{1,40}){0,3} ?[(\[]at[)\]] ?[\w-]{1,40}"
        r"(?: ?(?:\.|\(dot\)) ?\w{2,20}){1,3}",
    ),
)
PHONES = (
    Rule(
        "phone",
        rf"\b(?i:(?:{_PHONE})\b\.?(?:[ \t]{{0,2}}(?:no|nr|number|nummer|numéro|número|is|ist|es|['’]s)\b\.?){{0,2}})"
        rf"[ \t]{{0,3}}:?[ \t]{{0,3}}{_NUMBER}",
        _phone(7),
    ),
    Rule("phone", rf"\b(?i:{_CALL}):?[ \t]{{1,3}}{_NUMBER}", _phone(9)),
    Rule(
        "phone",
        r"(?<![\w.])\+[1-9]\d{0,2}(?:(?:\.\d{2,4}){3,5}|(?:[ /-]?\(?\d{1,8}\)?){2,6})(?!\w|\.\d)",
        _phone(8),
    ),
    *(
        Rule("phone", rf"(?<![\w./-])(?<!\d[ ,])(?:{form})(?![\w%]|[ ./-]?\d){NO_MEASURE}", _phone(9))
        for form in _NATIONAL
    ),
)


def found_in_link(link: str) -> Iterator[tuple[Kind, int, int]]:
    """Yield what names a person in an address: kind, start and end, half open, in order of certainty."""
    for match in _MAILBOX.finditer(link):
        if not is_everybodys_mailbox(re.split("@|%40", match.group())[0]):
            yield "email", *match.span()
    for match in _IN_THE_PATH.finditer(link):
        yield "record number", *match.span("value")
    if (profile := PROFILE.search(link)) is not None:
        yield "name", *profile.span(profile.lastgroup or 0)
    fields = [
        (re.sub(r"[\W_]", "", field["name"]).casefold(), field.span("value"))
        for field in _FIELD.finditer(link)
    ]
    patients = [(_FIELDS[name], span) for name, span in fields if name in _FIELDS]
    if patients:
        patients += [(_ONLY_BESIDE_THOSE[name], span) for name, span in fields if name in _ONLY_BESIDE_THOSE]
    for kind, span in patients:
        yield kind, *span
