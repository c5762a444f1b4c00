"""Sources named in words: guidelines, bodies, reference works, places in journals."""

import re

from medassay.models.text.authors import DATED, ET_AL, INITIALS, MONTH, NAME, YEAR

_BODIES = (
    r"ADA|AHA|ACC|ACCP|ACOG|ACP|ACR|AAFP|AAN|AAP|AASLD|ACG|AGA|APA|ASCO|ASH|ATS|BNF|BTS|CDC|CHEST|EASD|EASL|EAU|ECDC"
    r"|EMA|ERS|ESC|ESMO|EULAR|FDA|FIGO|GINA|GOLD|IDSA|KDIGO|KDOQI|MHRA|NCCN|NHS|NICE|NIH|RCOG|RKI|SIGN|STIKO|USPSTF"
    r"|WHO|AWMF|S3"
)
_BODY_WORDS = (
    r"(?:[A-Z][\w'’&-]+\s(?:(?:of|for|on|and|the|in)\s){0,2}){1,6}?"
    r"(?:Association|Organi[sz]ation|Society|College|Academy|Institutes?|Federation|Foundation"
    r"|Task Force|Collaboration"
    r"|Agency|Administration|Committee|Council|Centers? for [A-Z]\w+ Control(?: and Prevention)?|Initiative)"
    r"(?:\sof\s(?:[A-Z][\w'’-]+\s?(?:and\s)?){1,5})?"
)
_REFERENCE_WORKS = (
    r"UpToDate|StatPearls|DynaMed|Medscape|MedlinePlus|BMJ Best Practice|Mayo Clinic|Cleveland Clinic|Johns Hopkins"
    r"(?: Medicine)?|LactMed|GeneReviews|Cochrane(?: (?:Library|Review|Database[\w ]*))?"
    r"|Merck Manual|WebMD|Healthline"
    r"|Harrison['’]?s(?:\sPrinciples[\w ]*)?|Goodman (?:&|and) Gilman|British National Formulary|Martindale|Wikipedia"
)
_WORK = (
    r"(?:[Gg]uidelines?|[Gg]uidance|[Ss]tandards of (?:[Mm]edical )?[Cc]are(?: in Diabetes)?"
    r"|[Cc]onsensus(?: [Ss]tatement| [Rr]eport)?"
    r"|[Pp]osition [Ss]tatement|[Ss]cientific [Ss]tatement|[Rr]ecommendations?|[Ss]tatement"
    r"|[Rr]eport|[Rr]eview|[Ff]act [Ss]heet)"
)
_BODY = rf"(?:{_BODIES})(?:[/-](?:{_BODIES}))*\b|{_BODY_WORDS}"
NAMED = re.compile(
    rf"(?:the\s)?(?:(?:{YEAR}|latest|current|updated)\s)?(?:{_BODY}|{_REFERENCE_WORKS})(?:['’]s)?"
    rf"(?:[,:]?\s(?:\([A-Z/]{{2,12}}\)\s?)?"
    rf"(?:(?:{YEAR}|(?:[A-Z]{{1,4}}\d{{1,4}}))\b,?\s?)?(?:(?:[\w-]+\s){{0,4}}?{_WORK})?"
    rf"(?:,?\s\(?{YEAR}\)?|\s[A-Z]{{1,4}}\d{{1,4}}\b)?)?"
)
"""A body or reference work, with the guideline that it gave."""
_SAYS = (
    r"(?:recommends?|recommended|says?|states?|stated|suggests?|advises?|advised|reports?|reported"
    r"|estimates?|notes?|defines?"
    r"|concludes?|concluded|warns?|lists?|considers?|endorses?|issued|published)\b"
)
_ACCORDING = re.compile(
    rf"\b(?i:according to|as per|per|based on|in line with|sources?:|as (?:stated|recommended|reported) (?:by"
    rf"|in))\s(?:{NAMED.pattern})|(?:{NAMED.pattern})\s{_SAYS}"
)
_TRIAL = re.compile(
    rf"\b(?:the\s)?(?:[A-Z]{{2,}}[\w-]*(?:\s\d+)?|[A-Z][\w-]*[A-Z\d][\w-]*)\s(?:trial|study)\b"
    rf"(?=[^.]{{0,40}}\b(?:{YEAR}|found|showed|reported|demonstrated))"
)
_AUTHOR_YEAR = re.compile(
    rf"[(\[;]\s?(?!{MONTH}){NAME}(?:(?:,?\s{INITIALS})?{ET_AL}|(?:,?\s(?:and|&)\s){NAME})?,\s{DATED}[)\];]"
    r"|\bCochrane (?:[Rr]eviews?|meta-analys[ei]s)\b"
    rf"|\b{NAME}(?:{ET_AL}|\s(?:and|&)\s{NAME}),?\s(?:\({DATED}\)|{DATED}\))"
)
_PLACE = re.compile(
    rf"{YEAR}\s?;\s?\d{{1,4}}\s?(?:\(\w{{1,8}}\))?\s?:\s?\w?\d|\b\d{{1,4}}\(\w{{1,8}}\):\w?\d+|\b{YEAR};\d{{1,4}}:"
)
_JOURNAL = (
    r"(?:N(?:ew)? Engl(?:and)? J(?:ournal)?\.?(?: of)? Med(?:icine)?|NEJM|(?:The )?Lancet"
    r"(?: [A-Z][a-z]+)?|JAMA(?: [A-Z]\w+(?: [A-Z]\w+)?)?|BMJ(?: Open)?"
    r"|Nature(?: [A-Z][a-z]+)?|Science|Cell|PLoS \w+|Circulation|Diabetes Care|Diabetologia|Chest"
    r"|Gut|Blood|Ann(?:als)?(?: of)? Intern(?:al)? Med(?:icine)?"
    r"|(?:J|Am|Br|Eur|Int|Ann|Arch|Clin|Cochrane)\.? (?:[A-Z][a-z]*\.? ?){1,5})"
)
_IN_A_JOURNAL = re.compile(rf"(?:^|[,.;\s]){_JOURNAL},?\.?\s\(?{YEAR}\)?|{YEAR},?\s(?:in\s)?{_JOURNAL}\b")
_EDITION = re.compile(r"\b\d{1,2}(?:st|nd|rd|th)\s(?:ed\b|edition\b)", re.IGNORECASE)
_ANY_WORK = re.compile(rf"\b{_WORK}\b")
_DATED = re.compile(rf"\b{YEAR}\b|\b[A-Z]{{1,4}}\d{{1,4}}\b")
_LABELLED = re.compile(r"^(?:sources?|references?|see|adapted from|data from|quelle)\s?:?\s+", re.IGNORECASE)
_ONLY_A_BODY = re.compile(rf"(?:the\s)?(?:{_BODY}|{_REFERENCE_WORKS})(?:,?\s\(?{YEAR}\)?)?")
_VERB = re.compile(r"\b(?:is|are|was|were|has|have|had|may|can|should|must|will)\b")


def names_a_work(words: str) -> bool:
    """Tell whether words are a reference and say which work: `NICE NG28`, `Lancet 1998;352:854`."""
    labelled = _LABELLED.match(words)
    said = words[labelled.end() :] if labelled else words
    if not re.search(r"[A-Z]", said) or _VERB.search(said) or len(said) > 300:
        return False
    if _PLACE.search(said) or _IN_A_JOURNAL.search(said) or (_EDITION.search(said) and len(said.split()) > 2):
        return True
    body = NAMED.match(said)
    if body is None:
        return False
    if labelled and _ONLY_A_BODY.match(said):
        return True
    return bool(_DATED.search(said)) and bool(
        _ANY_WORK.search(said)
        or re.search(r"\b[A-Z]{2,6}\d{1,4}\b", said)
        or not _ONLY_A_BODY.fullmatch(said)
    )


def names_a_source(text: str) -> bool:
    """Tell whether a text names any source that a reader can find, in words: a guideline, a body, an author and year.

    "Studies show" and a bare `[1]` name none; neither do "experts" or "doctors".
    """
    return bool(_ACCORDING.search(text) or _TRIAL.search(text) or _AUTHOR_YEAR.search(text))
