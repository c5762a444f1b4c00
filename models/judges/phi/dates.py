"""Dates to the day, and months of birth; an amount, a section or a titration is no date."""

import re

from medassay.models.judges.phi.grammar import NO_MEASURE, Rule

MONTH = (
    "(?:jan(?:uary|uar|vier|uari|\\.)?|enero|gennaio|janeiro|stycznia|января|"
    "feb(?:ruary|ruar|braio|ruari|rero|\\.)?|février|fevereiro|lutego|февраля|"
    "mar(?:ch|s|zo|ço|\\.)?|märz|maart|marca|марта|apr(?:il|ile|\\.)?|avril|abril|kwietnia|апреля|"
    "may|mai|mayo|maggio|maio|mei|maj|maja|мая|june?|jun\\.|juni|juin|junio|giugno|junho|czerwca|июня|"
    "july?|jul\\.|juli|juillet|julio|luglio|julho|lipca|июля|"
    "aug(?:ust|usti|ustus|\\.)?|août|agosto|sierpnia|августа|"
    "sep(?:t|tember|tembre|tiembre|\\.)?|settembre|setembro|września|сентября|"
    "o[ck]t(?:ober|obre|ubre|\\.)?|ottobre|outubro|października|октября|"
    "nov(?:ember|embre|iembre|embro|\\.)?|listopada|ноября|"
    "de[cz](?:ember|embre|embro|\\.)?|décembre|dicembre|diciembre|grudnia|декабря)"
)
_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_YEAR = r"(?:19|20)\d{2}"
_END = rf"(?![\w%]|[/-]\d|\.\d){NO_MEASURE}"
_BORN = r"(?:born|dob|d\.o\.b\.|date of birth|geboren|geb\.|née?|nacid[oa]|nat[oa]|nascid[oa]|urodzon[ya])"
_VISIT = r"(?:admitted|discharged|hospitali[sz]ed|operated|seen|visit|appointment|surgery|born|dob)"
_NOT_OF_A_CALENDAR = re.compile(
    r"\b(?:apgar|section|chapter|version|figure|table|step|item|clause|appendix|kapitel|abschnitt|ratio|scores?|grades?|"
    r"titrat\w*|doses?|dosing|regimen|days?|weeks?|months?|hours?|scheme|schedule|v)[\s.:]{1,3}$|[§=<>≤≥±]\s?$",
    re.IGNORECASE,
)


def _of_a_calendar(match: re.Match[str]) -> tuple[int, int] | None:
    """Refuse three numbers in a row that a word before them says to be something else."""
    before = match.string[max(0, match.start() - 20) : match.start()]
    return None if _NOT_OF_A_CALENDAR.search(before) else match.span()


DATES = (
    # 12.03.1961, 3/4/62, 06-02-24
    Rule(
        "date",
        rf"(?<![\w/.])(?<!\d-){_DAY}(?P<sign>[./-]){_DAY}(?P=sign){_YEAR}(?!\d|[/.]\d|-\d(?!\d?[./]))",
        _of_a_calendar,
    ),
    Rule("date", rf"(?<=\d{{4}}-){_DAY}(?P<sign>[./]){_DAY}(?P=sign){_YEAR}(?!\d)"),
    Rule("date", rf"(?<![\w/.-]){_DAY}(?P<sign>[./]){_DAY}(?P=sign)\d\d{_END}", _of_a_calendar),
    Rule("date", rf"(?<![\w/.-])(?:0[1-9]|[12]\d|3[01])-(?:0[1-9]|[12]\d|3[01])-\d\d{_END}", _of_a_calendar),
    # 1961-03-12, 2024-02-06T09:30, 6. 2. 2024
    Rule(
        "date",
        rf"(?<![\w/.-]){_YEAR}(?P<sign>[./-])(?:0?[1-9]|1[0-2])(?P=sign){_DAY}(?=T\d|(?![\w/-]))",
        _of_a_calendar,
    ),
    Rule("date", rf"(?<![\w.-]){_DAY}\. (?:0?[1-9]|1[0-2])\. {_YEAR}(?!\w)", _of_a_calendar),
    Rule("date", rf"{_YEAR}\s?年\s?\d{{1,2}}\s?月\s?\d{{1,2}}\s?日"),
    # March 3rd, 2024; 12. März 1961; 5/Jan/1980
    Rule(
        "date",
        rf"(?<![\w/-])(?:{MONTH}[ \t]{{1,3}}{_DAY}(?:st|nd|rd|th)?,?[ \t]{{1,3}}{_YEAR}|"
        rf"{_DAY}(?:st|nd|rd|th|er|\.|º|ª)?[ /-][ \t]{{0,2}}(?:of |de |di )?{MONTH}"
        rf"[ ,/-][ \t]{{0,2}}(?:de[l ]? ?)?{_YEAR})(?!\w)",
        flags=re.IGNORECASE,
    ),
    # born March 1962; admitted on 12/05
    Rule(
        "date",
        rf"(?<!\w){_BORN}:?[ \t]{{1,3}}(?:in |on |im |en |le )?(?P<found>{MONTH},? {_YEAR})(?!\w)",
        flags=re.IGNORECASE,
    ),
    # DOB 04121985
    Rule(
        "date",
        r"(?<!\w)(?:dob|d\.o\.b\.?|date of birth|birth ?date|geburtsdatum|geb\.)[ \t:#]{0,4}(?:is[ \t])?"
        r"(?P<found>\d{8}|\d{6})(?!\w|[.,]\d)",
        flags=re.IGNORECASE,
    ),
    Rule("date", rf"(?<!\w){_VISIT}:? on (?P<found>{_DAY}[/.]{_DAY}\.?){_END}(?!\d)", flags=re.IGNORECASE),
    # seen by dr patel on 12 march; admitted on March 3rd
    Rule(
        "date",
        rf"(?<!\w){_VISIT}:?(?: [^\W\d]+\.?){{0,5}}? on (?:the )?"
        rf"(?P<found>{_DAY}(?:st|nd|rd|th)?\.? (?:of )?{MONTH}|{MONTH} {_DAY}(?:st|nd|rd|th)?)(?![\w/-]|,? \d)",
        flags=re.IGNORECASE,
    ),
)
