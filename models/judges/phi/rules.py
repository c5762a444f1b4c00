"""How names, dates, contacts and numbers of persons are usually written, in a dozen languages.

A rule's match is what is found, or its group `found` where a label goes before it. Rules see what is written in the
usual ways and miss the rest: a name with nothing around it that says so or in small letters, a date without a year.
"""

import re
from typing import Literal

Kind = Literal["name", "date", "phone", "email", "record number", "insurance number", "address"]

_SCRIPTS = ((0x41, 0x250), (0x370, 0x530), (0x1E00, 0x2000))
_CAPITAL = f"[{''.join(chr(c) for first, end in _SCRIPTS for c in range(first, end) if chr(c).isupper())}]"
_PART = rf"{_CAPITAL}(?:[\w'’-]*\w|\.)?"
_NAME = rf"{_PART}(?:\s+(?:(?:van|von|de|der|den|di|da|dos|la|el|al|bin|ben|af|zu)\s+){{0,2}}{_PART}){{0,3}}"
_FULL_NAME = rf"{_PART}\s+(?:(?:van|von|de|der|di|la|el|bin|ben)\s+){{0,2}}{_PART}"
_WORD = rf"{_CAPITAL}[\w'’-]*\w"
_WRITTEN_OUT = rf"{_WORD}(?:\s+(?:van|von|de|der|di|la|el|bin|ben)){{0,2}}\s+{_WORD}(?:\s+{_WORD})?"
_TITLES = (
    "Mr Mrs Ms Miss Mx Dr Dra Prof Herrn? Frau Señora? Sra? Dña Mme Mlle Monsieur Madame Docteure? Doktor Dott "
    "Dottoressa Sig Signora? Dona Pana? Pani Panią Hr Fru Meneer Mevrouw Mevr Bay Bayan Г-н Г-жа Господин Госпожа"
)
_INTRODUCTIONS = (
    "my name is|my name's|i am called|the name is|name of the patient is?|patient name is?|signed(?: by)?|ich heiße|"
    "ich heisse|mein name ist|je m['’]appelle|je suis|mon nom est|me llamo|mi nombre es|mi chiamo|il mio nome è|"
    "meu nome é|chamo-me|nazywam się|mam na imię|меня зовут|jeg heter|jeg hedder|jag heter|ik heet|mijn naam is|"
    "benim adım|adım|nimeni on|numele meu este|jmenuji se|με λένε"
)
_LABELS = (
    "name(?: des patienten| der patientin| of patient)?|patient(?:in|e)?(?: name)?|surname|first name|nom|prénom|"
    "nombre|nome|paziente|paciente|pacjent(?:ka)?|пациент(?:ка)?|имя|фио|naam|navn|namn|imię i nazwisko|nachname|"
    "vorname"
)
_FAREWELLS = (
    "(?:(?:best|kind|warm)\\s+)?regards|sincerely|yours(?: truly| sincerely)?|best wishes|mit freundlichen grüßen|"
    "viele grüße|liebe grüße|cordialement|bien à vous|saludos|un saludo|cordiali saluti|atenciosamente|pozdrawiam|"
    "с уважением|met vriendelijke groet"
)
_BORN = (
    "born|dob|d\\.o\\.b\\.|date of birth|geb(?:oren|\\.)|n[ée]e?(?= (?:le|en|à)\\b)|nacid[oa]|nat[oa](?= il\\b)|"
    "nascid[oa]|född|født|geboren|ur\\.(?= \\d)|doğum"
)
_YEARS = "years?|yrs?|y/?o|jahre?|ans|años|anni|anos|lat|år|jaar"
_OF_AGE = rf"\d{{1,3}}[ -](?:{_YEARS})\b|(?<=, )\d{{2}},\s|aged?\s+\d{{1,3}}\b"
_MONTHS = (
    "jan(?:uary|uar|vier|uari|\\.)?|enero|gennaio|janeiro|stycznia|января|feb(?:ruary|ruar|braio|ruari|rero|\\.)?|février|"
    "fevereiro|lutego|февраля|mar(?:ch|s|zo|ço|\\.)?|märz|maart|marca|марта|apr(?:il|ile|\\.)?|avril|abril|kwietnia|"
    "апреля|may|mai|mayo|maggio|maio|mei|maj|maja|мая|june?|juni|juin|junio|giugno|junho|czerwca|июня|july?|juli|"
    "juillet|julio|luglio|julho|lipca|июля|aug(?:ust|usti|ustus|\\.)?|août|agosto|sierpnia|августа|"
    "sep(?:t|tember|tembre|tiembre|\\.)?|settembre|setembro|września|сентября|o[ck]t(?:ober|obre|ubre|\\.)?|ottobre|"
    "outubro|października|октября|nov(?:ember|embre|iembre|embro|\\.)?|listopada|ноября|de[cz](?:ember|embre|embro|\\.)?|"
    "décembre|dicembre|diciembre|grudnia|декабря"
)
_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_YEAR = r"(?:19|20)\d{2}"
_NUMBER_SIGN = (
    r"(?:\s*(?:no\.?|n[°º]\.?|number|nummer|numero|número|numéro|nr\.?|id|#|№))?\s*(?:is\s+)?[:#=]?\s*"
)
_DIGITS = (
    r"(?P<found>(?=[\w/ .-]{0,24}?\d[\w/ .-]{0,4}?\d[\w/ .-]{0,4}?\d)[A-Z0-9][A-Z0-9/ .-]{3,22}[A-Z0-9])"
)


def _rule(pattern: str, flags: int = 0) -> re.Pattern[str]:
    return re.compile(pattern, flags)


_TITLED = "|".join(_TITLES.split())
RULES: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("email", _rule(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b")),
    ("insurance number", _rule(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b")),
    ("insurance number", _rule(r"\b[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]\b")),
    ("insurance number", _rule(r"(?<!\d)[12] ?\d{2} ?\d{2} ?\d{2} ?\d{3} ?\d{3} ?\d{2}(?!\d)")),
    ("insurance number", _rule(r"(?<![\d-])\d{3}-\d{2}-\d{4}(?![\d-])|\b756\.\d{4}\.\d{4}\.\d{2}\b")),
    (
        "insurance number",
        _rule(
            r"\b(?i:insurance|policy|member(?:ship)?|medicare|medicaid|NHS|SSN|social security|versicherten|"
            r"versicherungs|kranken(?:kassen|versicherten)|KVNR|s[ée]cu(?:rité sociale)?|seguridad social|seguro|"
            r"codice fiscale|tessera sanitaria|PESEL|BSN|personnummer|CPR|AHV|DNI|NIF|NIE|CPF|СНИЛС|ОМС)[- ]?"
            rf"{_NUMBER_SIGN}{_DIGITS}"
        ),
    ),
    (
        "record number",
        _rule(
            r"\b(?i:MRN|medical record|hospital|patient|chart|case|file|record|patienten|fall|akten|aufnahme|dossier|"
            r"historia clínica|cartella clinica|expediente|prontuário|journal)"
            r"(?:[- ]?(?i:no\.?|n[°º]\.?|number|nummer|numero|número|nr\.?|id|zeichen)|\s*#|(?<=MRN)|(?<=(?i:clínica))|"
            rf"(?<=(?i:clinica)))\s*(?:is\s+)?[:#=]?\s*{_DIGITS}"
        ),
    ),
    (
        "date",
        _rule(
            rf"(?<![\w/.-])(?:{_DAY}(?P<sign>[./-]){_DAY}(?P=sign)(?:{_YEAR}|\d{{2}})|"
            rf"{_YEAR}(?P<mark>[./-])\d{{1,2}}(?P=mark)\d{{1,2}})(?![\w/-])"
        ),
    ),
    ("date", _rule(rf"{_YEAR}\s?年\s?\d{{1,2}}\s?月\s?\d{{1,2}}\s?日")),
    (
        "date",
        _rule(
            rf"(?<![\w/-])(?:(?:{_MONTHS})\s+{_DAY}(?:st|nd|rd|th)?,?\s+{_YEAR}|{_DAY}(?:st|nd|rd|th|er|\.|º|ª)?[ -]\s*"
            rf"(?:of\s+|de\s+|di\s+)?(?:{_MONTHS})[ ,-]\s*(?:de[l ]?\s*)?{_YEAR})(?!\w)",
            re.IGNORECASE,
        ),
    ),
    (
        "phone",
        _rule(
            r"\b(?i:tel|telefon|telephone|téléphone|teléfono|telefono|phone|mobile|mobil|handy|cell|fax|rufnummer|"
            r"portable|телефон|тел)\b\.?(?i:\s*(?:no|nr|number|nummer|is))?[.:\s]*"
            r"(?P<found>(?=(?:[ ()/.+-]*\d){6})[+(]?\d[\d ()/.-]{4,}\d)"
        ),
    ),
    ("phone", _rule(r"(?<![\w.])\+(?=(?:[ ()/.-]*\d){8})\d{1,3}(?:[ ./-]?\(?\d{1,8}\)?){2,6}(?!\w)")),
    (
        "phone",
        _rule(
            r"(?<![\w.-])(?:\(\d{2,5}\)[ .-]?|\d{2,5}[ .-])\d{3,4}[ .-]\d{3,5}(?![\w.]*\d)|(?<![\w.-])0\d{2,4}[ /-]"
            r"\d{5,8}(?![\w.])|(?<![\w.-])0\d(?:[ .-]\d{2}){4}(?![\w.]*\d)|(?<![\w.-])\(0\d{1,5}\)[ .-]?\d{4,9}(?!\w)"
        ),
    ),
    (
        "address",
        _rule(
            rf"\b\d{{1,5}}[A-Z]?\s+(?:{_PART}\s+){{1,3}}(?:Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr|Boulevard|Blvd|"
            rf"Court|Ct|Square|Way|Terrace)\b\.?(?:,\s*{_PART})?(?:,?\s+[A-Z]{{2}}\s+\d{{5}})?"
        ),
    ),
    (
        "address",
        _rule(
            rf"\b{_CAPITAL}[\w-]*(?:straße|strasse|str\.|weg|gasse|platz|allee|straat|gatan|gade|vej)\s+\d{{1,4}}[a-z]?\b"
            rf"(?:,\s*\d{{4,5}}\s+{_PART})?"
        ),
    ),
    (
        "address",
        _rule(
            r"\b\d{1,4}(?:\s?(?:bis|ter))?,?\s+(?:rue|avenue|boulevard|place|chemin|allée|impasse|quai)\s+"
            rf"(?:(?:de|du|des|la|le|les|l['’]|d['’])\s*){{0,3}}{_PART}(?:,\s*\d{{5}}\s+{_PART})?"
        ),
    ),
    (
        "address",
        _rule(
            r"\b(?:Via|Viale|Piazza|Corso|Calle|C/|Avenida|Avda\.|Plaza|Paseo|Rua|Rue|ul\.|al\.|улица|ул\.|Bulevardul)\s+"
            rf"(?:(?:de|del|della|dei|la|los|da|do)\s+){{0,2}}(?:{_PART}\s+){{0,3}}{_PART},?\s+(?:n[°º.]\s*)?\d{{1,4}}\b"
        ),
    ),
    ("address", _rule(r"\b(?i:P\.?\s?O\.?\s+Box|Postfach|Apartado|Boîte postale|BP)\s+\d{2,7}\b")),
    ("name", _rule(rf"(?<!\w)(?:{_TITLED})\b\.?\s+(?:(?:Dr|Prof|med)\.?\s+)*(?P<found>{_NAME})")),
    ("name", _rule(rf"(?<!\w)(?i:{_INTRODUCTIONS})\s*:?\s*(?:(?:Dr|Prof)\.?\s+)?(?P<found>{_NAME})")),
    ("name", _rule(rf"(?<!\w)(?i:{_LABELS})\s*:\s*(?P<found>{_FULL_NAME}(?:\s+{_PART})?)")),
    (
        "name",
        _rule(
            rf"(?<!\w)(?:I am|I['’]m|This is|Ich bin)\s+(?P<found>{_FULL_NAME})(?=\s*(?:,|\.|and|und|\(|\d))"
        ),
    ),
    (
        "name",
        _rule(rf"(?P<found>{_WRITTEN_OUT})\s*[,;(]\s*(?i:\*\s*\d|(?:{_BORN})(?!\w)|{_OF_AGE})"),
    ),
    ("name", _rule(rf"(?<!\w)(?i:{_FAREWELLS})\s*[,.!]?\s*(?P<found>{_FULL_NAME})")),
    (
        "name",
        _rule(
            r"(?:名前は|我叫|我的名字是|姓名[:：]\s*|氏名[:：]\s*)"
            r"(?P<found>[\u3040-\u30ff\u3400-\u9fff]{2,8}?)(?=です|と申|[，。、,.\s]|$)"
        ),
    ),
    ("name", _rule(r"(?P<found>(?!患者|皆|医者|看護師|先生)[\u3400-\u9fff]{2,4})(?:さん|様)")),
)
"""What is looked for, the surest first: where two overlap the earlier one wins."""
