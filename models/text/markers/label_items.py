"""What stands in a bracket that cites, item by item: numbers, ranges, labels with words, places, words between."""

import re

_RANGE = r"(?P<low>\d{1,4})\s?(?:--|-|–|—|−|‑|‒|\b(?:to|through|thru|bis)\b|\.{2,3}|…)\s?(?P<high>\d{1,4})(?![\w.])"
# "1: 24", "§ 4.2", "1 (p. 4)": behind a number, where in its source; "3 (0.82)": how near it was.
_PLACE = (
    r"(?<=\d):\s\d{1,4}(?:[-–]\d{1,4})?|§{1,2}\s?\d+(?:\.\d+)*"
    r"|(?<=\d)(?:[,;]?\s|\s?\()[⊕⊖○●◯⨁◌⊝]{2,6}\)?"
    r"|(?<=\d)\s?\((?:(?:very\s)?low|moderate|high|strong|weak)(?:[ -](?:certainty|quality|evidence|confidence))?\)"
    r"|(?<=\d)\s?\((?:0?\.\d{2,4}|1\.0{1,4})\)"
    r"|(?<=\d)\s?\((?:pp?\.?|fig(?:ure|\.)?|table|section|sect\.|chapter)\s?\d+(?:[,–-]\s?p{0,2}\d+){0,6}\)"
)
_SEPARATOR = r"(?:&nbsp;|[\s,;:&+/|，；：、…]|(?<!\S)·(?!\S)|(?<!\w)\*|\*(?!\w))+|\\"
# "doc_2, chunk 4"; of "chunk 3, chunk 4" both are sources.
_PART = (
    r"(?<=\d,\s)(?<!chunk\s\d,\s)(?<!passage\s\d,\s)"
    r"(?:chunk|passage|para(?:graph)?s?\.?|lines?|slides?)\s?#?\d+(?:[-–]\d+)?(?!\w)"
)
_NAMED = (
    r"(?:doc(?:ument)?|source|ref(?:erence)?|citation|cite|passage|context|snippet|stud(?:y|ie)|paper|article"
    r"|abstract|chunk|excerpt|result|web|search\sresult|entry|id|(?:foot|end)?note)s?(?:_ids?)?\.?"
    r"[\s:_#=-]{0,3}(?P<n>\d{1,4})"
)
_SECTION = (
    r"\b(?:(?-i:S|Abb|Tab|Kap|Anm|Rn|Art)\.|p[áa]gs?\.|p[áa]ginas?|pagin[ae]|(?:chap|cap|sect?|secc|sez|blz|bijl|hfst)\.|Seiten?"
    r"|Abbildung|Tabelle|Kapitel|Abschnitt|tableau|tabl[ae]|tabella|tabel|figur[ae]|chapitre|cap[ií]tulo|capitolo"
    r"|hoofdstuk|secci[óo]n)\s?\d+(?:[.–-]\d+)?(?:\s?ff?\b\.?)?(?!\w)"
    r"|\b(?:Table|Fig(?:ure|\.)?|Section|Chapter|Rec(?:ommendation|\.)|Statement|Box|Appendix|Annex|Algorithm)"
    r"\s[A-Z]?\d+(?:\.\d+)*\w?"
)
_PAGE = (
    r"\bpages\s\d+(?:,\s?\d+){0,6},?\s(?:and|&)\s\d+(?!\w)"
    r"|\bp(?:p?\.|ages?(?:[_\s]labels?)?)[\s:=#]{0,3}[es]?\d+(?:\s?[-–]\s?[es]?\d+|\sof\s\d+)?(?!\w)"
    r"|(?<=\d[,:;]\s)(?!(?:19|20)\d\d)(?-i:[A-Z][a-z]+)\.?\s(?!(?:19|20)\d\d)[A-Z]?\d+(?:\.\d+)*\w?(?![\w%])"
)
_FILLER = (
    r"(?:and references therein|references therein"
    r"|for (?:an? |the |more |further |full )?(?:details?|reviews?|information|discussion|overview|reading)"
    r"|and|or|und|et|y|but(?:\s(?:see|cf|compare))?|contra|see|also|see also|cf|refs?|references?|citations?|cited in"
    r"|sources?|documents?|docs?|passages?|contexts?|snippets?|cite|per(?=\s(?:doc|source|ref))"
    r"|(?:as )?(?:reviewed|cited|reported|shown|described) (?:in|by)|available at|"
    r"vgl|siehe|nr|см|cfr|voir|réfs?|références?|véase|ver|vedi|rif|zie|"
    r"e\.g|i\.e|from|via|at|pubmed|pmids?|pmcid|doi|url|link|clinicaltrials\.gov|identifier"
    r"|trial|registration|number|no|article|free|evidence|data from|above|below"
    r"|(?:last\s)?accessed(?:\son)?:?\s(?:\d{1,2}\s)?[a-z]{3,9}\.?(?:\s\d{1,2},)?\s\d{4})\b\.?"
)
ITEM = re.compile(
    rf"(?P<place>{_PLACE})|(?P<separator>{_SEPARATOR})|(?P<range>{_RANGE})"
    rf"|(?P<number>[\^#]?\d{{1,9}}(?![\w.%]))\^?(?P<dagger>†[^,;\]】]*)?"
    rf"|(?P<part>{_PART})|(?P<named>{_NAMED})(?![\w.]|\s?[-–—−‑‒]\s?\d)|(?P<page>{_PAGE}|{_SECTION})"
    rf"|(?P<filler>{_FILLER})|(?P<dash>[-–—]\s)"
    r"|(?P<label>[^\s,;\[\]()§]+(?:[ ][^\s,;\[\]()§]+){0,5})",
    re.IGNORECASE,
)
"""One item; the group that matched says what it is."""
