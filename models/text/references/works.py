"""Works named where they are cited, without an identifier: `UKPDS 34, Lancet 1998;352:854-65`, `NICE NG28`."""

import re

from medassay.models.text.labels.author_names import ET_AL, NAME, PARTICLES
from medassay.models.text.labels.files import files_in
from medassay.models.text.language.verbs import has_finite_verb
from medassay.models.text.references.entries.evidence import is_named

_YEAR = r"(?:19|20)\d\d"
BETWEEN = re.compile(r"(?:;\s+|\s[·•|]\s)(?=[A-ZÀ-ÖØ-Þ])")
"""What parts sources that are named in a row: `2015;372:1-9` is one place in a journal."""
_LEAD = re.compile(
    r"\A\s*(?:(?:see(?:\salso)?|cf\.?|e\.g\.|i\.e\.|per|from|according to|based on|adapted from|data from"
    r"|published in|siehe|s\.|vgl\.|laut|gemäß|selon|voir|según|véase|zie|vedi"
    r"|as (?:reported|reviewed|cited|published|recommended) (?:in|by)"
    r"|(?:sources?|ref(?:erence)?s?)(?=\s?:)|the)[,:]?\s+){0,3}",
    re.IGNORECASE,
)
_OPENS = re.compile(
    r"[*_“\"„'‘]{0,3}(?:(?:19|20)\d\d\s)?(?:[A-ZÀ-ÖØ-Þ]|(?:(?:de|van|von|der|den|la|le|di|du|al|el)\s){1,3}[A-Z]"
    r"|(?:guidelines?|guidance|recommendations?|report|review)\s(?:by|of|from)\s(?:the\s)?[A-Z])"
)
# Names of journals that are no words of medicine: "Stroke 2019" and "Blood 2020" need a volume.
_JOURNAL = (
    r"(?:NEJM|CMAJ|MMWR|(?:The\s)?(?:New England Journal of Medicine|Lancet(?:\s[A-Z][a-z]+(?:\s&?\s?[A-Z][a-z]+)*)?)"
    r"|JAMA(?:\s[A-Z][a-z]+){0,3}|BM[JC](?:\s[A-Z]\w+){0,3}|PLo?S\s(?:One|ONE|Med\w*|[A-Z]\w+)"
    r"|Cochrane\sDatabase(?:\sof)?\sSyst\w*\.?\sRev\w*|Diabetes Care|Diabetologia|Nat(?:ure)?\.?\sMed\w*"
    r"|Dtsch\.?\s[AÄ]rztebl\w*"
    r"|(?:Annals|Archives|Journal)\sof(?:\s(?:the|and|of|in|[A-Z][\w-]+)){1,8}|Mayo Clin(?:ic)?\.? Proc\w*"
    r"|Am Fam Physician"
    r"|(?:(?:[A-Z][a-z]{1,9}\.?\s){1,3})?J\.?(?:\s[A-Z][A-Za-z]{1,12}\.?){1,5}"
    r"|(?:European|American|British) Heart Journal"
    # "Crit Care Med", "Eur Urol"
    r"|(?:[A-Z][a-z]{1,9}\.?\s){1,4}(?:Med|Cardiol|Oncol|Neurol|Pa?ediatr|Dis|Pharmacol|Endocrinol|Gastroenterol|Hepatol"
    r"|Nephrol|Rheumatol|Immunol|Surg|Anaesth|Anesthesiol|Gyna?ecol|Obstet|Epidemiol|Dermatol|Ophthalmol|Urol|Ha?ematol"
    r"|Radiol|Ther|Metab|Nutr)\b\.?"
    r"|(?:Ann|Arch)\.?(?:\s[A-Z][a-z]{2,12}\.?){1,3}|Clin\.?\sInfect\.?\sDis\.?|N\.?\sEngl\.?\sJ\.?\sMed\.?)"
)
_JOURNAL_ALONE = re.compile(_JOURNAL)
_IN_A_JOURNAL = re.compile(
    rf"\b{_JOURNAL}[*_]{{0,2}}[.,]{{0,2}}\s\(?{_YEAR}\)?(?![\d-])|\b{_YEAR}[a-z]?\)?[.,;]\s{_JOURNAL}\W*\Z"
)
# "Packer M, NEJM", "CLEAR, NEJM 2023", "Packer 2020 NEJM": who, when and where, in whatever order, and no more.
_PERSON = rf"{PARTICLES}{NAME}(?:\s{NAME})?(?:,?\s(?:[A-Z]{{1,3}}\b|(?:[A-Z]\.[\s-]?){{1,3}}))?"
_PEOPLE = rf"{_PERSON}(?:(?:,\s|,?\s(?:and|&)\s){_PERSON}){{0,6}}(?:,?\s{ET_AL})?"
_BY = rf"(?:{_PEOPLE}|[A-Z][A-Z\d-]+(?:\s\d{{1,3}})?)"
_WHO_AND_WHERE = re.compile(rf"(?:(?P<who>{_BY})[.,:;]{{0,2}}\s)?{_JOURNAL}[.,;\s]*")
# With initials and a year a journal needs no known name: "Finley PR, Clin Pharmacokinet 2016".
_WITH_INITIALS = rf"{PARTICLES}{NAME}\s[A-Z]{{1,3}}\b"
_WHO_WHERE_AND_WHEN = re.compile(
    rf"{_WITH_INITIALS}(?:,\s{_WITH_INITIALS}){{0,6}}(?:,?\s{ET_AL})?[.,:;]{{1,2}}\s"
    rf"[A-Z][\w.&-]*(?:\s(?:of|the|and|in|&|[A-Z][\w.-]*)){{0,6}}[.,]?\s\(?{_YEAR}\)?[.,;\s]*"
)
# "Stoffel NU, Haematologica 2020"; of "Vitamin D, Norway 2019" and "Factor VII, Paris 2019" neither is a person.
_SURE_INITIALS = re.compile(
    rf"(?!\w*[A-Z]{{2}}){PARTICLES}{NAME}\s"
    r"(?!(?:[IVX]+|ICU|ED|ER|US|UK|EU|RCT|CT|MRI?|HIV|TB|AB|BMI|NHS|WHO|GP)\b)[A-Z]{2,3}\b"
)
_ENDS_IN_A_STATE = re.compile(rf"\s[A-Z]{{2}}[.,]?\s\(?{_YEAR}")
_UNDATED = re.compile(rf"[.,;]?\s\(?{_YEAR}\)?(?=[\s.,;]|\Z)")
_PAGES = re.compile(
    rf"[A-Z][\w.&*-]*[.,]?\s\(?{_YEAR}\)?(?:\s[A-Z][a-z]{{2,8}}(?:\s\d{{1,2}})?)?\s?;\s?\d{{1,4}}(?:\s?\([^()\n]{{1,12}}\))?\s?[:,]\s?[A-Za-z]{{0,6}}\d"
    rf"|\b{_YEAR}[a-z]?\)?[.,;]?\s[A-Z][\w.&*-]*(?:\s[A-Z][\w.&*-]*){{0,5}}[.,]?\s"
    r"(?:\d{2,4}(?:\s?\(\d{1,3}\))?:[A-Za-z]?\d{2}|\d(?:\s?\(\d{1,3}\))?:[A-Za-z]?\d{3})"
    rf"|\b{_JOURNAL}[*_]{{0,2}}[.,]?\s?;\s?\d{{1,4}}(?:\s?\(\d{{1,3}}\))?\s?:\s?[A-Za-z]?\d{{2}}"
    rf"|[A-Z][\w.&*-]*[.,]?\s{_YEAR},\s\d{{1,4}}(?:\s?\(\d{{1,3}}\))?:\s?[A-Za-z]?\d{{2}}"
    # "Yatham LN et al., Bipolar Disord 20:97–170"
    rf"|(?:{ET_AL}|[a-zß-ÿ]\s[A-Z]{{1,3}}\b)[.,]{{1,2}}\s(?:[A-Z][\w.&*-]*,?\s){{1,5}}\d{{1,4}}(?:\s?\(\d{{1,3}}\))?:\d{{1,5}}[-–]\d"
    r"|[A-Z][\w.&*-]*,?\s\d{1,4}\s?\(\d{1,3}(?:[-–]\d{1,3})?\)\s?[:,]\s?(?:pp?\.\s?)?[A-Za-z]?\d+\s?[-–]\s?[A-Za-z]?\d"
)
_KNOWN = (
    r"NICE|SIGN|WHO|CDC|FDA|EMA|NIH|NHS|NHLBI|NCI|USPSTF|ACIP|MHRA|UKHSA|PHE|RKI|STIKO|AWMF|BNFc?|ADA|EASD|AACE|IDF"
    r"|AHA|ACC|ESC|ESH|ISH|HFSA|KDIGO|KDOQI|GOLD|GINA|ATS|ERS|BTS|ACOG|RCOG|FIGO|AAP|AAFP|ACP|APA|AAN|IDSA|ESCMID"
    r"|ABM|ATA|AAOS|SMFM|AHRQ|AGS|ISUOG|BASHH|FSRH|RCPCH|RACGP|BfArM|PMDA|Health Canada|IARC|UNAIDS|ECDC"
    r"|BSR|NOGG|JCVI|BSG|BHIVA|BAP|TOXBASE|NCEPOD|RCEM|ESGE|ASGE|ESTS|GRAPPA|ASAS|OARSI|ESRA|NIHR|CADTH|PBAC|IQWiG"
    r"|HRS|APHRS|ACCP|SCAI|EACTS|NLA|AASM|EAN|EAS"
    r"|UKKA|BSACI|BAUS|ESTRO|ASTRO|EANM|ESPGHAN|NASPGHAN|ISPAD|ASAM|SAMHSA|NIAID|NIDDK"
    r"|ASCO|NCCN|ESMO|ACR|EULAR|AASLD|EASL|ACG|AGA|ESPEN|CHEST|ASH|ESICM|SCCM|ERC|ILCOR|ISTH|EHRA|ESO|AUA|EAU|AAD|BAD|BSH|EHA|ESHRE|ASRM|SOGC|CCS|EAACI|AAAAI|WSES"
    r"|Surviving Sepsis Campaign|SSC|NASEM|Cochrane|Mayo Clinic|Cleveland Clinic|Johns Hopkins|UpToDate|StatPearls"
    r"|MedlinePlus|Medscape|WebMD|DynaMed|Merck Manuals?"
)
_ACRONYM = rf"\b(?:{_KNOWN})(?:[/-](?:{_KNOWN}|[A-Z]{{2,6}}))*\b"
_ONLY_BODIES = re.compile(rf"(?:{_KNOWN})(?:/(?:{_KNOWN}|[A-Z]{{2,6}}))*")
_ORGANISATION = (
    r"(?:[A-Z][\w’'&.-]*\s)(?:(?:[A-Z][\w’'&.-]*|of|for|on|and|the|in|&)\s){0,8}?"
    r"(?:Organi[sz]ation|Association|Society|College|Academy|Institutes?|Administration|Agency|Council|Collaboration"
    r"|Foundation|Federation|Commission|Task Force|Union)\b"
    r"|Cent(?:er|re)s? for (?:(?:[A-Z][a-z]+|and|of|the)\s){0,5}[A-Z][a-z]+"
)
_BODY = re.compile(rf"{_ACRONYM}|\b{_ORGANISATION}")
_WORK = re.compile(
    r"\b(?:guidelines?|guidance|standards(?: of (?:medical )?care)?|recommendations?"
    r"|(?:clinical )?practice (?:update|advice|statement)|(?:position|consensus|policy|recommendation|scientific)"
    r" (?:statement|report|paper)|practice (?:bulletin|parameter)|committee opinion"
    r"|fact ?sheets?|report|review|handbook|manual|textbook|formulary|monograph|prescribing information"
    r"|package (?:insert|leaflet)|label|smpc|epar|rcp|technology appraisal|quality standard"
    r"|safety (?:communication|update|alert|notice)|leitlinie|fachinformation)\b",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    r"\bCD\d{6}\b|\b(?:NG|CG|TA|QS|PH|DG|HST|MTG|IPG)\s?\d{1,4}\b|\bEMA/[A-Z]{3,5}/\d{3,7}/\d{4}\b"
    r"|\bSIGN\s(?:No\.?\s)?\d{2,3}\b|\b(?:No|Nr)\.?\s?\d{1,4}[a-z]?\b|\w\s#\s?\d{1,2}\b(?!-)"
)
_OF_NICE = re.compile(r"(?:NG|CG)\d{2,3}(?:[,:]?\s\(?(?:19|20)\d\d\)?)?")
_REVIEW_OF_COCHRANE = re.compile(r"\bCD0\d{5}\b")
_DATED = re.compile(rf"(?<!\d){_YEAR}(?![\d/])")
# "SmPC Hemangiol §4.2", "Accutane PI, section 5.1": which part of what a drug's maker says.
_SECTION_OF_A_LABEL = re.compile(
    r"\b(?:SmPC|SPC|USPI|PI|[Pp]rescribing [Ii]nformation|[Pp]ackage (?:[Ii]nsert|[Ll]eaflet)|[Ll]abel(?:ling|ing)?"
    r"|Fachinformation|Gebrauchsinformation|RCP|[Ff]icha [Tt]écnica)\b[^;:\n]{0,80}?"
    r"(?:§{1,2}|\b[Ss]ec(?:t(?:ion)?s?)?\b\.?|\bAbschnitt|\b[Rr]ubrique|\b[Ss]ecci[óo]n)\s?\d"
    r"|\b(?:SmPC|SPC|USPI),?\s(?:[A-Z][a-z]+\s)?(?:s\.?\s?)?[4-6]\.\d{1,2}\b"
)
# "Cymbalta prescribing information, 2023", "Flagyl [package insert]. Pfizer; 2023".
_DATED_LABEL = re.compile(
    r"(?!(?:[Rr]andomi[sz]ed|[Dd]ouble|[Ss]ingle|[Oo]pen|[Oo]ff|[Bb]lack|[Bb]oxed|[Pp]rivate|[Ww]hite)\b)"
    r"[A-Z][\w/-]*(?:\s(?:\([A-Za-z][\w/ -]{2,40}\)|[A-Z][\w/-]*|[a-z][\w/-]{3,30})){0,3},?\s\[?"
    r"(?:SmPC|SPC|USPI|Fachinformation|(?:(?:US|EU|UK|FDA)\s)?(?:PI|(?:[Pp]rescribing|[Pp]roduct) [Ii]nformation"
    r"|[Pp]ackage (?:[Ii]nsert|[Ll]eaflet)|(?:[Dd]rug\s)?[Ll]abel(?:ling|ing)?))\]?[.,;:]?\s"
    rf"(?:[A-Z][^;:()\n]{{1,60}}[;,.:]\s)?\(?{_YEAR}\)?[.\s]*"
)
# "DrugBank DB01211", "ChEMBL CHEMBL1200": an entry of a database, by its number.
_OF_A_DATABASE = re.compile(
    r"(?:DrugBank|ChEMBL|RxNorm|LiverTox|PharmGKB|DailyMed|KEGG)[:,]?\s(?:ID\s)?[A-Z]{0,6}\d{3,9}"
)
_QUOTED_TITLE = re.compile(rf"[“\"„«][A-ZÀ-ÖØ-Þ][^“”\"„«»\n]{{11,250}}[”\"“»],?\s\(?{_YEAR}[a-h]?\)?\W*")
# "UpToDate, "Plant sterols", accessed May 2024"
_TITLED = re.compile(
    r"(?:UpToDate|StatPearls|DynaMed|Medscape|MedlinePlus|BMJ Best Practice|Mayo Clinic|Cleveland Clinic|LactMed"
    r"|GeneReviews)"
    r"(?P<title>[,.:]\s[“\"„][^“”\"„\n]{3,150}[”\"“])?[,.]{0,2}\s"
    r"(?:\(?(?i:(?:topic\s)?(?:last\s)?(?:accessed|updated|retrieved|reviewed))[:\s]"
    rf"[^;()\n]{{0,30}}{_YEAR}\)?|(?(title){_YEAR}|(?!)))[.\s]*"
)
_EDITION = re.compile(r"\b\d{1,2}(?:st|nd|rd|th)\s(?:ed\b|edition\b|revised edition\b)", re.IGNORECASE)
_TITLE_WORD = re.compile(r"\b[A-Z][a-z]{3,}(?:['’]s)?")
_TEXTBOOK = re.compile(
    r"\b(?:Harrison['’]?s(?:\sManual|\sPrinciples)|Goodman (?:&|and) Gilman|Nelson Textbook|Braunwald|Goldman-Cecil"
    r"|Robbins (?:&|and|Basic)|Oxford (?:Hand|Text)book|Merck Manual|Williams Obstetrics|British National Formulary"
    r"|Martindale|Tintinalli|Kumar (?:&|and) Clark|Davidson['’]?s Principles)"
)
_OF_A_BODY = re.compile(
    rf"[*_]*(?P<body>[^,:\n]{{2,90}})[,:]\s(?P<title>[^\n]{{6,150}}),\s(?:[A-Z][a-z]+\s)?{_YEAR}[.*_\s]*"
)
# What a body numbers or dates besides its papers, and where its authors work.
_PERMIT = re.compile(
    r"\b(?:regist(?:ration|ered|ry)|approvals?|ethic(?:s|al)|protocol(?!\s#\s?\d{1,2}\b(?!-))|licen[sc]ed?|permit|grants?|Dnr|IRB)\b|;",
    re.IGNORECASE,
)
_WORKPLACE = re.compile(r"\b(?:Ministry|Department|University|Hospital|Division|School)\b")
_LONGEST = 400


def names_a_work(words: str) -> bool:
    """Tell whether words are a reference and say which work: a place in a journal, a book's edition, a body's paper.

    A body alone, such as `ADA, 2024`, does not say which of its papers is meant.
    """
    if not re.search(r"\d", words[:_LONGEST]):
        return False
    plain = without_lead(re.sub(r"[*_]+", "", words[:_LONGEST]))
    if not _OPENS.match(plain):
        return False
    if _OF_A_DATABASE.fullmatch(plain) or _QUOTED_TITLE.fullmatch(plain) or _DATED_LABEL.fullmatch(plain):
        return True
    if _OF_NICE.fullmatch(plain):
        return True
    if _REVIEW_OF_COCHRANE.search(plain) and not has_finite_verb(plain) or _TITLED.fullmatch(plain):
        return True
    if _PAGES.search(plain) or _IN_A_JOURNAL.search(plain):
        return True
    if (
        _SURE_INITIALS.match(plain)
        and _WHO_WHERE_AND_WHEN.fullmatch(plain)
        and not _ENDS_IN_A_STATE.search(plain)
    ):
        return True
    # In a title that is all capitals no word is a verb: "Statistics Report".
    return (is_named(plain) or not has_finite_verb(plain)) and (
        _is_of_a_body(plain) or _is_a_book(plain) or _SECTION_OF_A_LABEL.search(plain) is not None
    )


def gives_pages(words: str) -> bool:
    """Tell whether words give a paper's place in a journal: `Lancet 2009;373:1849–60`."""
    return _PAGES.search(words[:_LONGEST]) is not None


def is_only_a_journal(words: str) -> bool:
    """Tell whether words are a journal with its year or with its authors and no more: `Packer M, NEJM`, `BMJ 2020`."""
    plain = without_lead(re.sub(r"[*_]+", "", words[:_LONGEST]))
    if _WHO_WHERE_AND_WHEN.fullmatch(plain):
        return True
    undated, years = _UNDATED.subn("", plain, count=1)
    found = _WHO_AND_WHERE.fullmatch(undated)
    return found is not None and (years > 0 or found["who"] is not None)


def without_lead(words: str) -> str:
    """Cut `see`, `according to the` and their like."""
    return _LEAD.sub("", words, count=1)


def names_sources(words: str) -> bool:
    """Tell whether words are names of sources and no more, several of them between semicolons."""
    return bool(files_in(words.strip())) or all(
        names_a_work(piece) or names_who_published(piece) or is_a_textbook(piece)
        for piece in BETWEEN.split(words)
    )


def is_a_body(name: str) -> bool:
    """Tell whether a name is that of a body that publishes guidance, by its initials: `USPSTF`, `ACC/AHA`."""
    return _ONLY_BODIES.fullmatch(name) is not None


def names_a_publisher(words: str) -> bool:
    """Tell whether words are the name of a body or a reference work and no more: `Mayo Clinic`, `WHO`."""
    return is_named(words) and (_BODY.search(words) is not None or _TEXTBOOK.search(words) is not None)


def names_who_published(words: str) -> bool:
    """Tell whether words are a body, a reference work or a journal and no more: `Mayo Clinic`, `BMJ`."""
    return names_a_publisher(words) or _JOURNAL_ALONE.fullmatch(words) is not None


def is_a_textbook(words: str) -> bool:
    """Tell whether words begin with a textbook that goes by its name."""
    return _TEXTBOOK.match(words.lstrip(' *_“"')) is not None


def _is_of_a_body(plain: str) -> bool:
    if not _BODY.search(plain) or _PERMIT.search(plain):
        return False
    if _NUMBERED.search(plain) or (_WORK.search(plain) and _DATED.search(plain)):
        return True
    parts = _OF_A_BODY.fullmatch(plain)
    if parts is None or not _BODY.fullmatch(parts["body"].strip()):
        return False
    title = parts["title"]
    return (
        len(title.split()) > 1
        and title[0].isupper()
        and not (_BODY.search(title) or _WORKPLACE.search(title))
    )


def _is_a_book(plain: str) -> bool:
    edition = _EDITION.search(plain)
    if _TEXTBOOK.match(plain):
        return edition is not None or re.search(r"\d", plain) is not None
    return edition is not None and len(_TITLE_WORD.findall(plain, 0, edition.start())) > 1
