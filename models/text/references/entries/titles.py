"""The title of what an entry of a reference list names, in whatever style it is written."""

import re
from collections.abc import Sequence

from medassay.models.text.identifiers.reading import Atom
from medassay.models.text.labels.files import files_in
from medassay.models.text.references.entries.authors import AUTHORS
from medassay.models.text.references.entries.years import YEAR

_JOURNAL_WORDS = (
    r"(?:J|N|Engl|Am|Med|Medicine|Clin|Int|Eur|Br|Ann|Arch|Intern|Netw|Open|Rev|Res|Sci|Surg|Pediatr|Dis"
    r"|Ther|Pharmacol|Care"
    r"|Cochrane|Database|Syst|PLoS|PLOS|ONE|Proc|Natl|Acad|Curr|Opin|Exp|Biol|Chem|Rep|Dtsch|Arztebl|Z|Int|World"
    r"|Lancet|JAMA|NEJM|BMJ|BMC|Nature|Science|Circulation|Journal|New|England|Diabetes|Heart|Gut|Chest"
    r"|Stroke|Blood|Cell|of|the|in|and|&)"
)
_PAGES = r"(?:19|20)\d\d\s?(?:[A-Z][a-z]{2}[^.;:]{0,8})?(?:[;:]\s?\S+|,\s?\d\S*|\s\d+\S*)?"
_ISSUE = re.compile(rf"\W*(?:{_PAGES}|\d{{1,4}}\s?(?:\(\d+\))?[,:]\s?\w?\d\S*)")
_JOURNAL = re.compile(
    rf"\W*{_JOURNAL_WORDS}\.?(?:\s{_JOURNAL_WORDS}\.?|\s[A-Z][a-z]+\b\.?){{0,6}}[,.\s(]*(?:{_PAGES}"
    rf"|vol\W.*|\d{{1,4}}[(:,].*)?[\s).;]*"
)
_WITH_ISSUE = re.compile(
    r"\W*(?:[A-Z][\w&]*\.?\s){1,7}(?:19|20)\d\d\s?(?:[A-Z][a-z]{2}[^.;:]{0,8})?(?:[;,:(]\s?\d.*|\W*)"
)
# "Jonklaas J, et al. Thyroid. 2014;24:1670": no title stands right before a year and a volume.
_FEW_CAPITALS = re.compile(r"[A-Z][\w&-]*(?:\s(?:(?:of|and|&)\s)?[A-Z][\w&-]*){0,3}")
_YEAR_AND_VOLUME = re.compile(r"(?:19|20)\d\d(?:\s[A-Z][a-z]{2}[^.;:]{0,8})?;\s?\d")
# "Org. Lett. 2005, 7, 100–103", as chemists cite: the journal's name follows the authors.
_WITHOUT_TITLE = re.compile(r"(?:[A-Z][a-z]{0,8}\.,?\s){2,7}(?:19|20)\d\d\b")
# "Bolland et al. 2018. BMJ." says when and perhaps where, and no title.
_DATE_AND_JOURNAL = re.compile(
    r"\(?(?:19|20)\d\d[a-h]?\b[).,;:]*(?:\s[A-Z][\w&]*\.?(?:\s[A-Z][\w&]*\.?){0,4})?\W*"
)
_SMALL = r"(?:of|for|on|and|the|in|to|&|de|du|des|la|del|della|di|für|und)"
_ORGANISATION = re.compile(
    rf"(?:The\s|(?:19|20)\d\d\s)?(?:[A-Z][\w.’'&/-]*)(?:,?\s(?:[A-ZÀ-ÖØ-Þ(][\w.’'&/)®-]*|{_SMALL}(?=\s))){{1,12}}"
    rf"|[A-Z]{{2,8}}(?:/[A-Z]{{2,8}})*"
)
_BODY = re.compile(
    r"\b(?:Organi[sz]ation|Association|Society|College|Academy|Institutes?|Administration|Agency"
    r"|Department|Ministry|Cent(?:er|re)s?"
    r"|Clinic|Hospital|University|Council|Committee|Collaboration|[Cc]ollaborators|[Tt]rialists|Group|[Ii]nvestigators|Foundation"
    r"|Federation|Commission|Service"
    r"|Services|Office|Board|Network|Consortium|Initiative|Task Force|Programme|Program|Medicine|Union|Panel"
    r"|Autorit\w+|Minist\w+|Organi[sz]aci\w+|Soci[eé][dt]\w+|Institut\w*|Agen\w+|\w*[Gg]esellschaft|Bundes\w+"
    r"|Inc|Ltd|AG|GmbH)\b|\([A-Z]{2,8}\)"
)
_REFERENCE_WORK = re.compile(
    r"UpToDate|Lexi-?[Cc]omp(?: Online)?|MedlinePlus|StatPearls(?: \[Internet\])?|LactMed|DynaMed(?: Plus)?|DailyMed"
    r"|Micromedex|Drugs\.com|Medscape|BMJ Best Practice"
)
# "Kidney Disease: Improving Global Outcomes (KDIGO) Diabetes Work Group", "… Committee on Practice Bulletins—X"
_GUIDELINE_GROUP = re.compile(
    r"[A-Z][^.;\n]{2,120}\b(?:(?:[Tt]rial |[Ss]tudy )?"
    r"(?:Collaboration|[Cc]ollaborators|[Ii]nvestigators|[Tt]rialists)(?: [Gg]roup)?"
    r"|(?:Work(?:ing)?|Study|Writing|Expert) Group(?: Members)?|Task Force|Panel"
    r"|Committee(?: on [A-Z][\w &—–-]{2,60})?)"
)
# "CRASH-2 trial collaborators; Shakur H, …", "ESC Scientific Document Group, McDonagh TA, …"
_GROUP_FIRST = re.compile(
    r"[^.;:]{3,120};\s|[^.;:]{3,120}?\b(?i:group|investigators|collaborators|collaboration|committee|trialists|members"
    r"|task force|panel),\s"
)
# "von Schoultz E, Rutqvist LE; Stockholm Breast Cancer Study Group."
_GROUP_LAST = re.compile(
    r";\s[^.;:]{3,120}(?=\.\s)|(?:\s[A-Z][\w-]+){0,6}\s(?:Group|Investigators|Collaboration|Trialists)(?=\.\s)"
)
# "Effects of metformin[J]. …", as Chinese journals say what an entry is.
_TYPED = re.compile(r"\s?\[[A-Z]{1,2}(?:/OL)?\](?=[\s.]|\Z)")
_FULL_STOP = re.compile(r"[.?!](?=\s|\Z)")
_ABBREVIATED = re.compile(
    r"(?:\b[A-Z]\.[A-Z]|\b[a-z]\.[a-z]|\b(?:pp?|ch|vs?|Dr|Prof|St|No|Nos|Vol|vol|eds?|cf|Co|Jr|Sr"
    r"|approx|ca|Fig|incl|spp?|subsp|var))\Z"
)
_SECTION = re.compile(r"\s*\d{1,2}")
"""The number that a title begins with: "6. Glycemic Goals"."""
_INITIAL = re.compile(r"(?:\A|[\s.-])[A-ZÀ-ÖØ-Þ]\Z")
_SENTENCE_FOLLOWS = re.compile(r"\s+[A-ZÀ-ÖØ-Þ\d][\w-]+\s[a-zà-ÿ]")
_FIELD = re.compile(r"(?im)^[\s>*•·_–-]*title\W{0,4}[:：][\s*_]*(?P<title>[^\n]{3,300})")
_OTHER_FIELD = re.compile(
    r"(?im)^[\s>*•·_–-]*(?:authors?|journal|year|published(?: in)?|publication|link|url|doi|pmid|pmcid"
    r"|source|date|access(?:ed)?|type"
    r"|study (?:type|design))[*_]*\s?[:：].*$"
)
_LINK_WORDS = re.compile(r"\[([^\[\]\n]{3,300})\]\(")
_BARE_LINK = re.compile(
    r"\W*(?:pubmed|pmc|doi|pdf|links?|full text|source|abstract|here|view|read more|free article|online"
    r"|article|pmid\W*\d*|https?\S*|[\d\W]+|10\.\d+/\S+)\W*",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[“\"„«]([^”\"“»\n]{8,300})[”\"“»]|(?<=[\s(])['‘]([^'‘\n]{8,300})['’](?=[,.;\s])")
_APA = re.compile(
    r"\(?\b(?:(?:19|20)\d\d[a-h]?|n\.d\.|in press)(?!\s[a-z])[^()\n]{0,20}\)[.,:]?\s+[–—-]?\s*"
    r"(?P<rest>(?!ISBN|ISSN)\S.{3,})"
)
_HARVARD = re.compile(r",?\s(?:19|20)\d\d[a-h]?\.\s+(?=[“\"‘'A-ZÀ-ÖØ-Þ][^.]{12})")
_EMPHASISED = re.compile(r"\W{0,3}(\*{1,2}|_{1,2})(?P<title>[^*_\n]{8,300})\1")
_SPOKEN_YEAR = re.compile(r"et\sal\.?,?\s(?:19|20)\d\d[a-h]?,\s[^:.]{1,40}:\s+")
_APPENDED = re.compile(
    r"\s[–—-]\s(?=(?:[^–—]{0,60}(?:(?:19|20)\d\d|\d{1,4}[:(]\d)|[*_]?[A-Z][\w&]*\.?(?:\s(?:[A-Z][\w&]*\.?"
    r"|of|the|and)){0,5}[*_]?\W*\Z))"
)
_LABELLED_ID = re.compile(
    r"\b(?:pmid|doi|pmcid|available (?:at|from|online at)|retrieved from"
    r"|(?:url|link)(?=[*_]*:|\s*(?:[<(*_]*https?:|\Z))|accessed(?: on)?[^.\n]{0,25}\d{4})\b[*_]*:?",
    re.IGNORECASE,
)
_EDITION = re.compile(r"\d\.\s(?:Aufl(?:age)?|überarb\w*|[ée]d)\b")
# "vitamin D.", "troponin T.", "hepatitis C." end a title; "Smith J." does not.
_OF_A_KIND = re.compile(r"(?<![^\W\d_])[a-z]{4,}\s[A-Z]\Z")
# "Medicine (Baltimore)"
_WHERE_PRINTED = re.compile(r"\s\([A-Z][a-zA-Z. ]{2,24}\)\Z")
_AND_OTHERS = re.compile(r"\bet\sal\W*\Z")
_LONGEST = 300


def title_of(body: str, named: Sequence[Atom]) -> str | None:
    """Read the title: named as such, a link's words, quoted, or the sentence behind authors or APA's (2020)."""
    if files := files_in(body.strip(" \t\n`*_")):
        return "; ".join(file.name for file in files)
    if field := _FIELD.search(body):
        return _trimmed(field["title"])
    for link in _LINK_WORDS.finditer(body):
        if not _BARE_LINK.fullmatch(link[1]):
            return _trimmed(link[1])
    if quoted := _QUOTED.search(body):
        return _trimmed(quoted[1] or quoted[2])
    prose = _prose(body, named)
    emphasised = _EMPHASISED.match(prose)
    if emphasised and not AUTHORS.match(emphasised["title"]) and not _is_journal(emphasised["title"], ""):
        return _trimmed(emphasised["title"])
    plain = re.sub(r"\*{1,2}|(?<!\w)_{1,2}|_{1,2}(?!\w)|[<>|]", "", prose)
    return _trimmed(_title_in(_without_frame(plain))) or None


def _without_frame(prose: str) -> str:
    """Cut stops and brackets around words, but for a bracket that closes one within: `FDA label (metformin)`."""
    bare = prose.strip(" .,;:-–—()[]")
    return f"{bare})" if bare.count("(") > bare.count(")") else bare


def _prose(body: str, named: Sequence[Atom]) -> str:
    """Return an entry's words without identifiers, other fields and line breaks."""
    for atom in reversed(named):
        body = body[: atom.start] + " " + body[atom.end :]
    body = _OTHER_FIELD.sub("", body)
    body = re.sub(r"\[[^\]\n]{0,40}\]\([^()\n]{0,20}\)", " ", body)
    body = re.sub(r"(?<=\w)([*_]*)[ \t]*\n[ \t]*(?=[*_]*[A-Z][\w’'-]+,?\s[A-Z])", r"\1. ", body)
    body = re.sub(r"(?<=[\w*_])[ \t]*\n[ \t]*[-*+•][ \t]+|(?<=[*_])[ \t]*\n", ". ", body)
    return re.sub(r"\s+", " ", _LABELLED_ID.sub(" ", body))


def _title_in(prose: str) -> str:
    if typed := next((part for part in segments(prose) if _TYPED.search(part)), None):
        return _TYPED.split(typed)[0]
    apa = _APA.search(prose[:600])
    if apa:
        return _without_journal(segments(apa["rest"]))
    if spoken := _SPOKEN_YEAR.search(prose[:300]):
        return _without_journal(segments(prose[spoken.end() :]))
    if behind := _behind_authors(prose):
        parts = segments(behind)
        untitled = not parts or _WITHOUT_TITLE.match(behind) or _DATE_AND_JOURNAL.fullmatch(behind)
        journal = untitled or _is_journal(parts[0], " ".join(parts[1:2]))
        return prose if journal else _without_journal(parts)
    parts = segments(prose)
    if len(parts) > 1 and _AND_OTHERS.search(parts[0]):  # "de Souza e Silva A, et al. J Ren Nutr 2019;29:480"
        return prose if _is_journal(parts[1], " ".join(parts[2:3])) else _without_journal(parts[1:])
    if len(parts) > 1 and _is_organisation(parts[0], parts[1:]):
        return prose if _is_journal(parts[1], " ".join(parts[2:3])) else _without_journal(parts[1:])
    return _without_journal(parts)


def _behind_authors(prose: str) -> str | None:
    """Return what follows the names that an entry begins with; None if it begins otherwise."""
    authors = AUTHORS.match(prose[:1500])
    if (authors is None or not _stops(prose, authors.end())) and (group := _GROUP_FIRST.match(prose)):
        authors = AUTHORS.match(prose[:1500], group.end()) or authors
    if authors is None:
        return None
    end = authors.end()
    if last := _GROUP_LAST.match(prose, end):
        end = last.end()
    if dated := _HARVARD.match(prose, end):
        return prose[dated.end() :]
    return prose[end:].lstrip(" .:") if _stops(prose, end) else None


def _stops(prose: str, end: int) -> bool:
    """Tell whether a stop stands at a place, or right before it and a blank behind."""
    return prose[end : end + 2] in (". ", ": ", ".") or prose[end - 1] == "." and prose[end : end + 1] == " "


def segments(prose: str) -> list[str]:
    """Cut an entry at its full stops, not behind initials, `vs.` and `U.S.`."""
    parts: list[str] = []
    start = 0
    for stop in _FULL_STOP.finditer(prose):
        before = prose[max(start, stop.start() - 12) : stop.start()]
        if stop[0] == "." and _EDITION.match(prose, stop.start() - 1):
            continue
        if stop[0] == "." and (_ABBREVIATED.search(before) or _SECTION.fullmatch(prose, start, stop.start())):
            continue
        initial = _INITIAL.search(before) and not _OF_A_KIND.search(
            prose, max(start, stop.start() - 30), stop.start()
        )
        if stop[0] == "." and initial and not _SENTENCE_FOLLOWS.match(prose, stop.end()):
            continue
        end = stop.start() + (stop[0] != ".")
        if part := prose[start:end].strip(" ."):
            parts.append(part)
        start = stop.end()
    if part := prose[start:].strip(" ."):
        parts.append(part)
    return parts


def _without_journal(parts: Sequence[str]) -> str:
    """Return the title that the parts begin with: a question and what follows it are one, journal and year are not."""
    title = parts[0] if parts else ""
    if title.endswith(("?", "!")) and len(parts) > 2 and not _is_journal(parts[1], parts[2]):
        title = f"{title} {parts[1]}"
    if appended := _APPENDED.search(title, 8):
        title = title[: appended.start()]
    return re.sub(r"\.\s(?:19|20)\d\d\Z", "", title)


def _is_journal(part: str, following: str) -> bool:
    """Tell whether a part is where an article stands: a journal's name, maybe with year and pages."""
    part = _WHERE_PRINTED.sub("", part)
    if _WITH_ISSUE.fullmatch(part) or (_FEW_CAPITALS.fullmatch(part) and _YEAR_AND_VOLUME.match(following)):
        return True
    return _JOURNAL.fullmatch(part) is not None and (
        YEAR.search(part) is not None or not following or _ISSUE.match(following) is not None
    )


def _is_organisation(part: str, following: Sequence[str]) -> bool:
    if _REFERENCE_WORK.fullmatch(part):
        return True
    if not (_ORGANISATION.fullmatch(part) or _GUIDELINE_GROUP.fullmatch(part)) or AUTHORS.match(following[0]):
        return False
    known = (
        _BODY.search(part) is not None
        or _REFERENCE_WORK.search(part) is not None
        or part.isupper()
        or "U.S." in part
    )
    return known and not re.fullmatch(
        r"(?:[Uu]pdated|[Aa]ccessed|\W)*(?:[A-Z][a-z]+\s)?\d{0,4}", following[0]
    )


def _trimmed(title: str) -> str:
    return title[:_LONGEST].strip(" .,*_;:–—-").rstrip("([") if title else ""
