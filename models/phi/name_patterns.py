"""Patterns of words before or behind a person's name, relatives among them, in a dozen languages."""

import re

from medassay.models.phi.grammar import GAP, PART
from medassay.models.phi.words import listed

RELATIVES = listed("relatives")
"""Words for a relative or a companion, without a possessive, in small letters."""
_GERMAN = (
    "mann frau ehemann ehefrau sohn tochter mutter vater bruder schwester oma opa enkel enkelin tante onkel "
    "lebensgefährte lebensgefährtin partner mama"
)
"""Before these a capital says little: every noun has one."""
BEFORE_A_NAME = RELATIVES - frozenset(_GERMAN.split()) - {"partner"}
_BEFORE = re.compile(
    rf"(?<!\w)(?:{'|'.join(sorted(RELATIVES, key=len, reverse=True))})"
    r"(?: (?:is|named|called|heißt|s'appelle|se llama|si chiama))?[,:]?[ \t(]{1,2}$",
    re.IGNORECASE,
)

TITLES = (
    r"Mr|Mrs|Ms|Mx|MRS|Herrn?|Frau|Señora?|Sra?|Dña|Mme|Mlle|Monsieur|Madame|Mademoiselle|Signora?|Sig\.?ra|"
    r"Pani|Panią|Meneer|Mevrouw|Mevr|Г-н|Г-жа|Господин|Госпожа|Shri|Smt|Kumari"
)
DOCTORS_TITLES = r"Dr|Dra|DR|Prof|Docteure?|Doktor|Dott|Dottor(?:essa)?|Doctor|Professor"
WORDS_AND_TITLES = r"Hr|Fr|Fru|Sig|Bay|Bayan|Pan|Don|Dona|Doña|Sri|Nurse|Master|Sister"
"""Titles that are also words or units: 24 Hr, Bay Area."""
MORE_TITLES = rf"(?:(?:{TITLES}|{DOCTORS_TITLES}|med|Univ)\b\.?{GAP}){{0,3}}"
AFTER_A_TITLE = r"(?:\.(?=[ \t\n\w])|(?=[ \t\n]))[ \t]{0,3}\n?[ \t]{0,3}"
NOT_MISSED = r"(?<![\w-])(?i:(?<!you )(?<!to )(?<!if )(?<!not )(?<!never )(?<!may ))"
"""Not before "miss" as a verb."""
FRENCH_VERB = (
    r"(?=, \d{1,3} ans| (?:a|est|présente|se|prend|souffre|consulte|vient|dit|sera|doit|tousse|vit)\b)"
)
SPANISH_FACT = r"(?=, (?:DNI|NIE|de \d|con|\d{1,3} años|nacido|paciente)\b)"
INTRODUCTIONS = (
    r"my name is|my name['’]s|i am called|name of the patient is|signed(?: by\b|[:,])|"
    r"(?:\w+['’]s|his|her|their|our|patients?)(?: (?:full|first|last|given|family))? ?name(?: is|['’]s| was)|"
    r"ich heiße|ich heisse|mein name ist|je m['’]appelle|mon nom est|me llamo|mi nombre es|mi chiamo|il mio nome è|"
    r"meu nome é|chamo-me|nazywam się|mam na imię|меня зовут|jeg heter|jeg hedder|jag heter|ik heet|mijn naam is|"
    r"benim adım|adım|nimeni on|numele meu este|jmenuji se|με λένε"
)
I_AM = (
    r"i am|i['’]m|this is|it['’]s|it is|ich bin|hier ist|je suis|c['’]est|soy|sono|sou|the name is|named|called|"
    r"de nombre|llamad[oa]|namens|nommée?"
)
I_AM_SURELY = r"i am|i['’]m|ich bin|je suis|soy"
AND_GOES_ON = r"(?=\s*(?:[,.!;(]|and\b|und\b|et\b|y\b|from\b|aus\b|who\b|\d|$))"
NOT_AN_ASSISTANT = rf"(?!(?:Claude|Alexa|Siri|Gemini|Copilot|Bard)\b(?!{GAP}{PART}))"
NOBODYS = "".join(
    rf"(?<!\b{word} )" for word in ("a", "any", "another", "her", "his", "my", "our", "the", "their", "your")
)
"""Behind these a title in small letters is the doctor's trade: "my dr said"."""
SAID_FIRST = r"(?:(?P<first>[a-zß-ÿ]{2,20}), (?=(?P=first)\b))?"
"""This is sophie, sophie bennett."""
GREETINGS = r"dear|hi|hello|hey|lieber?|hallo|bonjour|hola|chère?|estimad[oa]|caro|cara|ciao"
IN_SMALL_LETTERS = r"[a-zß-ÿ][\w'’-]*(?: [a-zß-ÿ][\w'’-]*){0,2}"
LABELS = (
    r"(?:patient|pt|client|full|first|last|middle|given|family|maiden|legal|preferred)(?:['’]s)?"
    r"(?: full| first| last)? ?name|\w{2,12}['’]s name|name (?:of (?:the )?patient|des patienten|der patientin)|"
    r"surname|nachname|vorname|familienname|geburtsname|prénom|nom(?: et prénoms?| de famille| du patient)|"
    r"apellidos?(?: y nombres?)?|nombres? y apellidos?|nombre del paciente|cognome|"
    r"nome (?:e cognome|completo|do paciente)|фио|имя|фамилия|imię i nazwisko|nazwisko|"
    r"next of kin|emergency contact|contact person"
)
WEAK_LABELS = (
    r"name|patient(?:in|e)?|pt|pat\.?|client|nom|nombre|nome|paziente|paciente|pacjent(?:ka)?|пациент(?:ка)?|"
    r"naam|navn|namn"
)
"""Labels of many things that are no person: the name of a medicine, the patient as a reader."""
NO_WORD_BEFORE = r"(?<![\w'’])(?<![\w'’][ \t])(?<!-)"
COLON = r"[ \t]{0,3}(?:[:=]|[–-](?=[ \t]))[ \t]{0,3}\n?[ \t]{0,3}"
ANOTHER_LABEL = (
    r"(?=[ \t]{0,3}[,;|]?\s{0,3}(?i:prénom|vorname|first name|given name|surname|age|alter|âge|edad|dob|d\.o\.b|"
    r"date of birth|birth|geb|sex|gender|geschlecht|mrn)\b)"
)
FIELD_ENDS = r"(?=[,;.]|$|\n)"
PATIENT = r"patient(?:in|e)?|paciente|pt|paziente"
AS_A_PATIENT_DOES = (
    r"(?=[ \t](?:presented|presents|is an?|was|has|had|reports?|reported|complains|complained|denies|denied|came|comes|"
    r"underwent|attended|stellte|klagt|wurde|acude|acudió|refiere|presenta|se présente)\b|"
    r",? (?:\(?\d|aged|de \d|born|dob|geb))"
)
FAREWELLS = (
    r"(?:(?:best|kind|kindest|warm|warmest)\s)?regards|sincerely(?: yours)?|yours(?: truly| sincerely| faithfully)?|"
    r"best wishes|all the best|mit (?:freundlichen|besten|herzlichen) grüßen|(?:viele|liebe|beste|herzliche) grüße|"
    r"lg|mfg|vg|cordialement|bien à vous|bien cordialement|saludos(?: cordiales)?|un saludo|atentamente|"
    r"cordiali saluti|atenciosamente|pozdrawiam|с уважением|met vriendelijke groet"
)
THANKS = (
    r"(?:many )?thanks(?: again| in advance| a lot| so much)?|thank you(?: so much| very much)?|merci|gracias|"
    r"danke(?: schön)?|vielen dank|cheers|love"
)
NEW_LINE = r"[,.!]?[ \t]{0,3}\n{1,2}[ \t]{0,3}"
SENT_OFF = rf"(?:[,.!][ \t]{{0,3}}|{NEW_LINE})"
CLOSES = r"(?=[ \t]{0,3}(?:$|\n|[.,;)(|\[–-]|\d))"
BORN = (
    r"born\b|dob\b|d\.o\.b\.|date of birth|geb(?:oren\b|\.)|n[ée]e?(?= (?:le|en|à)\b)|nacid[oa]\b|nat[oa](?= il\b)|"
    r"nascid[oa]\b|född\b|født\b|ur\.(?= \d)|doğum|\* ?(?:\d\d?\. ?\d\d?\.|(?:19|20)\d\d\b)"
)
_YEARS = r"(?:years?|yrs?|y|jahre|ans|años|anni|anos|lat|år|jaar)"
_OF_A_STUDY = (
    r"(?:[ \t](?:of (?!age)|after|before|later|earlier|follow|ago|apart|post|from|in|to|for|since|"
    r"and (?:over|older|above|up|under)|or |risk|survival|treatment|outcome|study|mortality|data|results|period|on|"
    r"with|without|between|until)|-|\+)"
)
OLD = (
    rf"(?i:\d{{1,3}}[ -]?(?:{_YEARS}|yo|y/?o|y\.o\.)[ -]?old\b|\d{{1,3}} ?(?:yo\b|y/o|y\.o\.)|"
    rf"\d{{1,3}} ?{_YEARS}\b(?!{_OF_A_STUDY})|"
    r"aged?:? \d{1,3}\b(?! ?(?:-|–|to|and|or|years? (?:and|or|to)|\+|/)))|"
    r"\d{1,3} ?J\.|\d{1,3}[ -]?(?:[Yy](?:rs?|ears)?)? ?/ ?[MFmf]\b|"
    r"\d{2}[MF]\b(?! ?(?:people|patients|doses|cells|USD|\$|\d))"
)
"""An age as it is written of one person: 45yo, 54M, 58/M, 54 years, and not "5 years after"."""
OF_AGE = rf"(?:[ \t]{{0,3}}[,;(|][ \t]{{0,3}}|[ \t])(?:{OLD})"
PERSON_OF_AGE = (
    r"\d{1,3} ?(?:[MF]\b|[ -]?(?i:years?|yr)[ -]old (?i:man|woman|male|female|lady|boy|girl|patient))"
)
BEHIND_A_NAME = "|".join(
    (
        rf"[ \t]{{0,3}}[,;(*]?[ \t]{{0,3}}(?i:{BORN})",
        OF_AGE,
        r",[ \t]\d{2},[ \t](?!\d|pp|e\d|[Ss]uppl|[Nn]o)",
        r", (?:fe)?male, (?:aged )?\d",
        r" is an? \d{1,3}[ -]?(?i:years?|yrs?|yo|y/?o)\b",
        r",? an? \d{1,3}[ -]?(?i:(?:years?|yrs?)[ -]old|yo|y/?o) (?:[a-z-]+ ){0,2}(?:man|woman|male|female|"
        r"gentleman|lady|boy|girl|patient)\b",
        r",? [SDWsdw]/[Oo]\b",
    )
)
DEGREES = r"(?:M\.D\.|MD\b(?! ?\d)|MBBS|MBChB|R\.?N\.?(?!\w)|FRCP|FACC|FACP|PA-C|FNP|DNP|MRCP|MRCGP)"
POSSESSIONS = r"(?<=['’]s) (?:iPhone|iPad|phone|chart|daughter|son|wife|husband|mother|father)\b"
HAN = r"\u3400-\u9fff"
HAN_SURNAMES = (
    "王李张張刘劉陈陳杨楊赵趙黄吴吳徐孙孫胡朱郭林罗羅梁谢謝宋唐邓鄧韩韓冯馮曹彭萧田董潘袁蔡蒋杜叶葉魏吕丁沈姚卢盧姜崔钟谭陆陸汪廖韦邹熊"
    "孟秦邱尹薛阎侯陶贺顾郝龚邵"
)
NO_HAN_NAME = "(?![疸血压壓色龄種种危等])"
"""黄疸 is jaundice and 高血压 hypertension."""


def ends_with_relative(text: str) -> bool:
    """Tell whether a text ends with a word for a relative, as before the relative's name."""
    return _BEFORE.search(text[-40:]) is not None
