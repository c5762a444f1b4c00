"""Numbers of persons (insurance, authority, hospital) and dates to the day."""

import re

from medassay.models.phi.grammar import NO_MEASURE, NO_UNIT, YEARS, Look, Rule, digits_in

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

_SIGN = r"(?:(?:no|n[°ºo]|number|num[eé]ro|n[úu]mero|nummer|nr|n\.?[°º]|id|№|zeichen)(?![^\W\d_])\.?|#)"
_TO = r"[ \t]{0,3}(?:(?i:is|was|ist|est|es)\b[ \t]{1,3})?[:#=]{0,2}[ \t]{0,3}"
_HEAD = r"(?:[A-Z]{1,4}[ -]?|[A-Za-z]{1,4}-?)?\d[A-Za-z\d]{0,20}(?:[-/.][A-Za-z]{0,3}\d[A-Za-z\d]{0,12}){0,5}(?!\w)"
_CODE = rf"(?P<found>{_HEAD}(?:[ \t]\d[A-Za-z\d]{{0,11}}(?![\w%]|[/.,:-]\d){NO_UNIT}){{0,7}})"
"""A token with digits, and groups of digits behind it: these belong to it only while it is short itself."""
_LONG_ENOUGH = 6
_INSURANCE = (
    r"(?:health |medical )?insurance|policy|member(?:ship)?|subscriber|beneficiary|medicare|medicaid|NHS|SSN|"
    r"social security|national insurance|versicherten|versicherungs|vers\.|"
    r"kranken(?:kassen|versicherten|versicherungs)|KVNR|s[ée]cu(?:rité sociale)?|seguridad social|seguro|"
    r"Aetna|Cigna|Humana|Anthem|BCBS|Blue Cross(?: (?:and )?Blue Shield)?|United ?Health ?Care|UHC|"
    r"Kaiser(?: Permanente)?|Tricare|Bupa|Allianz|AXA|AOK|Barmer|Techniker(?: Krankenkasse)?|"
    r"codice fiscale|tessera sanitaria|PESEL|BSN|personnummer|AHV|CPF|aadhaa?r|CPR|СНИЛС|ОМС"
)
_RECORD = (
    r"MRN|UHID|medical record|hospital|patient(?:en|in)?|chart|case|file|record|fall|akten|aufnahme|dossier|"
    r"historia cl[íi]nica|cartella clinica|expediente|prontuário|journal(?=n)|acct\.?|account|visit|encounter|"
    r"IPD?|OPD?|CR"
)
_RECORD_ALONE = r"MRN|UHID|historia cl[íi]nica|cartella clinica"
_PAPERS = (
    r"passport|passeport|pasaporte|passaporto|reisepass|paszport|(?:driver['’]?s?|driving) licen[cs]e|führerschein|"
    r"permis de conduire|"
    r"licen[cs]e plate|number plate|plate|vehicle|serial(?: (?:number|no\.?))?|subject|member|unit|GMC|NPI|DEA|HIC|"
    r"national id|identity card|id card|personalausweis|carta d['’]identità|cédula|身份证号?|护照号?|"
    r"주민등록번호|रजिस्ट्रेशन|आधार|ת\.?ז\.?|CCCD|CMND|TC kimlik no|СНИЛС|паспорт|MAC"
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


def _code(least: int) -> Look:
    """Take a code of at least so many digits; a first token that is long enough stands alone."""

    def look(match: re.Match[str]) -> tuple[int, int] | None:
        start, text = match.start("found"), match["found"]
        head = re.match(_HEAD, text)
        if head and digits_in(head.group()) >= _LONG_ENOUGH:
            text = head.group()
        return None if digits_in(text) < least or YEARS.fullmatch(text) else (start, start + len(text))

    return look


def _own_number(match: re.Match[str]) -> tuple[int, int] | None:
    """Refuse spans of years, amounts in groups and numbers of publications."""
    text = match.group()
    if (
        YEARS.fullmatch(text)
        or re.fullmatch(r"[1-9]\d{0,2}(?: 000)+|(?:\d{1,3} ){2,}\d{1,3}|[\d.]+", text)
        and not (text.isdigit())
    ):
        return None
    return match.span()


INSURANCES = (
    # IBAN; the Italian tax code; the French, American and Swiss social numbers; the American Medicare number
    Rule("insurance number", r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b"),
    Rule("insurance number", r"\b[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]\b"),
    Rule("insurance number", r"(?<![\w.])[12] ?\d{2} ?(?:0[1-9]|1[0-2]) ?\d{2} ?\d{3} ?\d{3} ?\d{2}(?!\w)"),
    Rule("insurance number", r"(?<![\w-])\d{3}-\d{2}-\d{4}(?![\w-])|\b756\.\d{4}\.\d{4}\.\d{2}\b"),
    Rule("insurance number", r"\b[1-9][A-Z][A-Z0-9]\d-?[A-Z][A-Z0-9]\d-?[A-Z]{2}\d{2}\b"),
    # a label with "number" or its like behind it, a label alone, and labels whose numbers have one form
    Rule("insurance number", rf"\b(?i:(?:{_INSURANCE}|group)[ '’s-]{{0,3}}{_SIGN}){_TO}{_CODE}", _code(5)),
    Rule("insurance number", rf"\b(?i:{_INSURANCE})(?!\w){_TO}{_CODE}", _code(8)),
    Rule(
        "insurance number",
        rf"\b(?i:(?:SSN|social security)(?: ?{_SIGN})?){_TO}(?P<found>\d{{3}}[ -]?\d\d[ -]?\d{{4}})\b",
    ),
    Rule(
        "insurance number",
        rf"\b(?:DNI|NIF|NIE|PAN|CHI)(?i: ?{_SIGN})?{_TO}"
        r"(?P<found>[XYZ]?\d{7,8}-?[A-Z]|[A-Z]{5}\d{4}[A-Z]|\d{6} ?\d{4})\b",
    ),
)
OWN_NUMBERS = (
    # papers, vehicles and devices, by their labels; in a patient's own text alone
    Rule(
        "record number",
        rf"(?<!\w)(?i:{_PAPERS})(?i:[ -]?{_SIGN})?{_TO}"
        r"(?P<found>(?=[A-Z\d -]{0,16}\d)[A-Z\d]{2,8}(?:[ -]?[A-Z\d]{2,8}){0,3})(?!\w)",
        _code(3),
    ),
    # any long number that is no measure; letters with five digits or more
    Rule(
        "record number",
        rf"(?<![\w.,/-])[A-Z]{{0,3}}[-/]?\d(?:[ /.-]?\d){{7,17}}(?:-?[A-Z\d])?(?!\w|[.,/]\d|%){NO_UNIT}",
        _own_number,
    ),
    Rule(
        "record number",
        r"(?<![\w-])(?=[A-Z\d/-]{6,20}(?!\w))(?:[A-Z]{1,8}[-/]?(?:\d-?){5,14}[A-Z\d]{0,3})(?![\w-])",
        _own_number,
    ),
)
RECORDS = (
    Rule("record number", rf"\b(?i:(?:{_RECORD})[ -]{{0,2}}{_SIGN}){_TO}{_CODE}", _code(4)),
    Rule("record number", rf"\b(?i:{_RECORD_ALONE})(?!\w){_TO}{_CODE}", _code(4)),
)
