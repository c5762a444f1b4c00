"""Addresses: a house number with a street in the ways of a few countries, postcodes and boxes."""

import re

from medassay.models.phi.grammar import CAPITAL, GAP, NO_UNIT, PART, Rule
from medassay.models.phi.words import listed

_STREET = (
    r"Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr|Boulevard|Blvd|Court|Ct|Square|Sq|Way|Terrace|Ter|Parkway|Pkwy|"
    r"Circle|Cir|Place|Pl|Grove|Gardens|Close|Crescent|Cres|Mews|Highway|Hwy|Trail|Trl|Nagar|Marg|Colony|Vihar|"
    r"Enclave|Layout"
)
_POINT = r"(?:[NSEW]\.?|North|South|East|West)"
_OF_STREETS = frozenset(
    "high main mill school station market hospital college university park church general spring sur norte".split()
)
_POSTCODE_AREAS = (
    "A[BL]|B[ABDHLNRST]?|C[ABFHMORTVW]|D[ADEGHLNTY]|E[CHNX]?|F[KY]|G[LUY]?|H[ADGPRSUX]|I[GMPV]|JE|K[ATWY]|"
    "L[ADELNSU]?|M[EKL]?|N[EGNPRW]?|O[LX]|P[AEHLOR]|R[GHM]|S[AEGKLMNOPRSTWY]?|T[ADFNQRSW]|UB|W[ACDFNRSV]?|YO|ZE"
)
_STATES = (
    "A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|P[AR]|RI|S[CD]"
    "|T[NX]|UT|V[AT]|W[AIVY]"
)
_NO_STREET = (
    "(?:Atem|Luft|Harn|Gallen|Nerven|Infektions|Übertragungs|Stoffwechsel|Signal|Arbeits|Schlaf|Sitz)[wp]"
)
_NUMBER = rf"\d{{1,4}}[a-z]?(?![\w%]|[.,]\d){NO_UNIT}"
_INSTITUTION = re.compile(
    r"\b(?:Association|Organi[sz]ation|Hospital|University|Institutes?|Foundation|Society|College|Cent(?:er|re)s?|"
    r"Academy|Council|Inc\.?|Ltd\.?|Health),? (?:\w+ )?$"
)


def _of_a_person(match: re.Match[str]) -> tuple[int, int] | None:
    """Refuse an institution's address, and what only has a street's last word: "5 Minutes Way"."""
    start, end = match.span()
    words = re.findall(r"[^\W\d_]{2,}", match["named"])
    plain = {word.casefold() for word in words if word[0].isupper() and not word.isupper()}
    odd = (plain & listed("never_names")) - _OF_STREETS
    return None if odd or _INSTITUTION.search(match.string[max(0, start - 40) : start]) else (start, end)


ADDRESSES = (
    # 12 Sample Street, Springfield, IL 62704; 350 W 52nd St; 12, Gandhi Nagar
    Rule(
        "address",
        rf"(?<![\w.])\d{{1,5}}[A-Z]?,?{GAP}(?:{_POINT}{GAP})?"
        rf"(?P<named>(?:(?:{PART}|\d{{1,3}}(?:st|nd|rd|th)){GAP}){{1,3}})"
        rf"(?:{_STREET})\b\.?(?!['’]|\.? (?:{CAPITAL}\w+['’]s))(?: [NSEW]{{1,2}}\b)?"
        rf"(?:,?{GAP}(?i:apt|apartment|unit|suite|ste|flat|room)\b\.?{GAP}#?\w{{1,6}}\b)?"
        rf"(?:,{GAP}{PART}(?:{GAP}{PART})?)?"
        rf"(?:,?{GAP}(?:(?:[A-Z]{{2}}|{PART}(?:{GAP}{PART})?){GAP})?\d{{5}}(?:-\d{{4}})?(?!\w))?",
        _of_a_person,
    ),
    # Springfield, IL 62704
    Rule(
        "address",
        rf"(?<![\w.])(?P<named>){PART}(?:{GAP}{PART}){{0,2}}(?<=\w\w\w),{GAP}(?:{_STATES}){GAP}\d{{5}}(?:-\d{{4}})?(?!\w)",
        _of_a_person,
    ),
    # SW1A 1AA
    Rule("address", rf"\b(?:{_POSTCODE_AREAS})\d[A-Z\d]? \d[ABD-HJLNP-UW-Z]{{2}}\b"),
    # Hauptstr. 5, 10115 Berlin; Berliner Straße 12; Am Markt 3, 10115 Berlin
    Rule(
        "address",
        rf"(?<!\w)(?P<named>(?!{_NO_STREET})"
        rf"{CAPITAL}[\w-]{{0,40}}(?:straße|strasse|str\.|weg|gasse|platz|allee|straat|gatan|gade|vej)|"
        rf"{PART}{GAP}(?:Straße|Strasse|Str\.|Platz|Allee|Weg|Ring|Damm|Ufer|Gasse|Chaussee))"
        rf"[ \t]{{0,3}}{_NUMBER}(?:,?{GAP}\d{{4,5}}{GAP}{PART})?",
        _of_a_person,
    ),
    Rule(
        "address",
        rf"(?<!\w)(?:Am|An de[rn]|Auf de[rmn]|Im|Zum|Zur|Unter den|Hinter de[rmn]){GAP}{PART}{GAP}\d{{1,3}}[a-z]?"
        rf"(?:,{GAP}\d{{5}}{GAP}{PART}|(?<=Markt \d)|(?<=Markt \d\d)|(?<=Bahnhof \d)|(?<=Bahnhof \d\d))(?!\w)",
    ),
    # 12 rue de la Paix, 75002 Paris; 14 Rue Victor Hugo
    Rule(
        "address",
        rf"(?<![\w.])\d{{1,4}}(?:\s?(?:bis|ter))?,?{GAP}(?:[Rr]ue|[Aa]venue|[Bb]oulevard|[Pp]lace|[Cc]hemin|[Aa]llée|"
        rf"[Ii]mpasse|[Qq]uai)"
        rf"{GAP}(?P<named>(?:(?:de|du|des|la|le|les|l['’]|d['’])[ \t]{{0,3}}){{0,3}}{PART}(?:{GAP}{PART}){{0,2}})"
        rf"(?:,?{GAP}\d{{5}}{GAP}{PART})?",
        _of_a_person,
    ),
    # Via Roma 12, Calle de Alcalá, 42, ul. Długa 7, 5 Calle Luna
    Rule(
        "address",
        rf"(?<!\w)(?<!et )(?:Via|Viale|Piazza|Corso|Calle|C/|Avenida|Avda\.|Plaza|Paseo|Rua|Rue|ul\.|al\.|улица|ул\.|"
        rf"Bulevardul){GAP}"
        rf"(?P<named>(?:(?:de|del|della|dei|la|las|los|da|das|do|dos){GAP}){{0,2}}(?:{PART}{GAP}){{0,3}}{PART}),?{GAP}"
        rf"(?:n[°º.]\s?)?{_NUMBER}",
        _of_a_person,
    ),
    Rule(
        "address",
        rf"(?<![\w.])\d{{1,4}},?{GAP}(?P<named>)(?:Calle|Avenida|Via){GAP}{PART}(?:{GAP}{PART})?",
        _of_a_person,
    ),
    Rule(
        "address",
        rf"\b(?i:P\.?\s?O\.?\s?Box|Postfach|Apartado|Boîte postale){GAP}\d{{2,7}}\b|"
        rf"\bBP \d{{2,4}},? \d{{5}} {CAPITAL}\w+",
    ),
)
