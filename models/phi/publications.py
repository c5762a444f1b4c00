"""Exclusions from PHI: identifiers, dates and authors of publications."""

import re

IDENTIFIERS = re.compile(
    r"https?://\S+|www\.\S+|(?<![@\w.-])[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,4}\.[a-z]{2,12}/\S*|\b10\.\d{4,9}/\S+|"
    r"\b(?i:pmid|pmcid|pubmed(?: id)?|pmc|arxiv|isbn(?:-1[03])?|issn|isrctn|eudract(?: number)?|chictr|crd|actrn|drks|"
    r"ndc|upc|omim|(?:lot|batch) (?:no\.?|number|#)|awmf(?:-registernummer|-register|-reg\.?)?(?: nr\.?)?|nct|"
    r"snomed(?: ct)?|loinc|rxnorm)"
    r"[ \t:#-]{0,3}[a-z]{0,3}\d[\w./-]*|\bCAS(?: no\.?)?[ :]{1,2}\d[\d-]+|\bU\d{4}-\d{4}-\d{4}\b"
)
"""Changed by a character it leads nowhere: inside one nothing is found but what an address says is a patient's."""

_SAYS_SO = (
    r"\b(?:(?i:(?:written|reviewed) by|publi(?:shed|cation|é|cad[oa])|posted|updat(?:ed?|ing)|access(?:ed)?|retrieved|"
    r"last (?:reviewed|revised|checked|modified|medically)|(?:page|content) last|revis(?:ed|ion)|next review|cited|"
    r"available|online|epub|version|stand:?|aktualisiert|abgerufen|aufgerufen|zugegriffen|veröffentlicht|mise à jour|"
    r"consulté|actualizad[oa]|consultad[oa]|approv(?:ed|al|es)|authori[sz](?:ed|ation)|licen[sc]ed|cleared|declared|"
    r"announced|launched|recalled|effective|issued|released|adopted|enacted|declaration|zugelassen|autorisé|"
    r"(?:manuscript |paper )?(?:received|accepted)|staff)|FDA|EMA|WHO|MHRA|CDC|NICE)"
)
_SAYS_SO_OF_THE_DATE = re.compile(
    rf"{_SAYS_SO}:?,?\s{{0,3}}(?:(?:on|le|el|am|in|date:?|online:?)\s{{1,3}})?$"
)
_SAYS_SO_IN_THE_SENTENCE = re.compile(rf"{_SAYS_SO}(?!\w)(?:[^\n.;?!]|(?<=Dr)\.|(?<=Prof)\.){{0,60}}$")
_AFTER_A_DATE = re.compile(
    r"\s?[:;]\s?\d+\s?[(:]|,? (?:the )?(?:FDA|EMA|WHO|CDC|MHRA|World Health|US Food)\b|\s?\)?,? (?:edition|update|"
    r"version|guideline)"
)
_BEFORE_AN_AUTHOR = re.compile(
    r"\b(?:(?:medically |clinically |peer[- ]|last )?reviewed|written|authored|edited|updated|"
    r"fact[- ]checked) by:?\s{0,3}"
    r"(?:[\w.'’ -]{0,40}\band )?$|\b(?:authors?|reviewers?|editors?|medical reviewer):\s{0,3}(?:dr\.?\s)?$",
    re.IGNORECASE,
)
_MANY = re.compile(
    r"\b(?i:patients|participants|subjects|individuals|women|children|infants|births|pacientes|Patientinnen|Teilnehmer\w*)\b"
)
_STUDY = re.compile(
    r"\b(?i:stud(?:y|ies)|trials?|cohort|enrol\w+|recruit\w+|random\w+|search\w*|databases?|registry|registered|"
    r"register|cut-?off|literature|survey|analys[ei]s|collected|pandemic|data|screened|Studie|étude|estudio)\b"
)
_ONE = re.compile(r"\b(?:(?i:you|your|he|she|his|her|my|mine|patient|patientin|paciente)|I|Mrs?|Ms)\b")
_VISIT = re.compile(r"\b(?i:admitted|hospitali[sz]ed|born|seen|visit)\b")
LOOKED_AT = 90
SENTENCE = 200


def is_of_a_publication(text: str, start: int, end: int) -> bool:
    """Tell whether a date says that it is of a publication, an approval, an access or a study's period."""
    before, after = text[max(0, start - LOOKED_AT) : start], text[end : end + LOOKED_AT]
    if _SAYS_SO_OF_THE_DATE.search(before) or _AFTER_A_DATE.match(after):
        return True
    sentence = re.split(r"[.!?]\s|\n", text[max(0, start - SENTENCE) : start])[-1]
    sentence += re.split(r"[.!?](?:\s|$)|\n", text[start : end + SENTENCE])[0]
    if _ONE.search(sentence) or (_VISIT.search(sentence) and not _MANY.search(sentence)):
        return False
    return any((_SAYS_SO_IN_THE_SENTENCE.search(before), _STUDY.search(sentence), _MANY.search(sentence)))


def is_an_author(text: str, start: int) -> bool:
    """Tell whether a name stands in a byline: "medically reviewed by Dr. …"."""
    before = text[max(0, start - LOOKED_AT) : start]
    return _BEFORE_AN_AUTHOR.search(re.sub(r"\b(?:Dr|Prof|Mrs?|Ms)\.?\s{0,3}$", "", before)) is not None
