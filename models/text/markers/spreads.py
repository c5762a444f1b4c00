"""Values in brackets: the spread of an estimate, a normal value, a scale, the part of a peptide."""

import re

from medassay.models.text.markers.label_reader import LabelReader

_TIME = r"(?:years?|yrs?|months?|mos?|weeks?|wks?|days?|hours?|hrs?|min(?:ute)?s?|sec(?:ond)?s?)"
_SYMBOL = (
    rf"(?:%|°\s?[CF]|{_TIME}(?:\sold)?"
    r"|points?|units?|beats|breaths|cells|copies|times|mm\s?Hg|bpm|[mMkc]?I?U|[kM]?Pa|[mµμn]?Eq|k?cal|[kM]?J|[mc]?Gy"
    r"|[mµμ]?Sv|[kMG]?Bq|[mµμ]?V|[kmcdµμnp]?[gLlm]|mcg|[mµμnp]?mol|[a-zµμ]{1,3})"
)
QUANTITY = re.compile(
    r"(?<![\w.])(?<![A-Za-z]-)(?P<number>\d+(?:\.\d+|,\d{1,2}(?!\d))?)(?:\s?[×x*]\s?10(?:\^?\d{1,2}|[⁰¹²³⁴-⁹]{1,2}))?"
    rf"(?:\s?(?:{_SYMBOL}[²³]?)?(?:\sper\s\w+|/(?:[\d.]+\s?)?{_SYMBOL}[²³]?){{0,3}})?\s?\Z"
)
"""A number with its unit, right before a bracket."""

_NAMED = re.compile(
    r"(?:\bCIs?|\bCrI|\bIQR|\b(?:confidence|credible|prediction)\sintervals?|\binterquartile\srange"
    r"|\b[Rr]anges?(?:\sof|\s?:|\s?=)|[(,]\s?range|\bscale\s(?:of|from)|=|≈|~)"
    r"(?:\s(?:was|is|were|are|of|from))?[\s:,=]{0,3}\Z"
)
# In German, French, Spanish, Italian, Portuguese.
_NAMED_ELSEWHERE = re.compile(
    r"(?:(?:9[059]\s?%?[-\s]?|[(,;\[]\s?)(?:KI|VI|IdC)|9[059]\s?%?[-\s]IC|\b(?:IC|IdC|KI|VI)[-\s]?(?:(?:del|de|al|à|a)\s)?9[059]\s?%?"
    r"|(?:[Kk]onfidenz|[Vv]ertrauens)intervall|\b[Ii]nterval(?:le|lo|o)\s(?:de|di)\s(?:confiance|confian[zç]a|confidenza)"
    r"(?:\s(?:à|a|de|del|al)\s9[059]\s?%)?)[\s:,=]{0,3}\Z"
)
_DECIMALS = re.compile(
    r"\s*(\d{1,4},\d{1,3})\s?(?:[;–—−‑‒-]|,\s|\s(?:to|bis|a|à)\s)\s?(\d{1,4},\d{1,3})\s?%?\s*"
)
_RANGE = re.compile(r"\b[Rr]ange\s\Z")
_SCALE = re.compile(r"\b(?:scale\s?\Z|Likert\s)")
_LAST_OF_A_SCALE = frozenset((5, 7, 10, 100))
_TARGET = re.compile(
    r"\b(?:(?:[Tt]arget|[Gg]oal|[Tt]herapeutic)\sINR|INR\s(?:of|target|goal|range(?:\sof)?))\s\Z"
)
_NUMBERED_TIMES = re.compile(r"\b(?:Weeks|Days|Months|Years|Hours|Visits|Cycles)\s\Z")
_BEHIND_A_VALUE = re.compile(
    r"\s?(?:%|°\s?[CF]\b|mm\s?Hg\b|bpm\b|k?cal\b|[kM]?Pa\b|[mµμ]?IU\b|[mµμn]?Eq\b"
    r"|(?:[kmcdµμnp]?[gLl]|mcg|[mµμnp]?mol|[kmcµμn]?m|[mµμk]?U|cells|copies)(?:\s?/\s?[\w.]+)+"
    r"|(?:[kmµμn]g|mcg|[md]L|[mµμnp]mol|[mc]m)\b|(?:[Ll]ikert\s)?scale\b)"
)
_SPELLED_UNIT = re.compile(rf"\s(?:{_TIME}|doses|tablets|times|cups|glasses|drops)\b")
_TAKES_A_QUANTITY = re.compile(
    r"\b(?:for|every|within|after|over|in|of|least|about|take|give|drink)\s\Z", re.I
)
# Parts of peptides are numbered by their residues; these have names of their own.
_PEPTIDES = (
    (re.compile(r"\bPTH\s?\Z|\b[Pp]arathyroid hormone\s\Z"), frozenset(("1-34", "1-84", "7-84"))),
    (
        re.compile(r"(?:\bA(?:β|beta)|\b[Aa]myloid(?:[\s-](?:β|beta))?)[\s-]?\Z"),
        frozenset(("1-38", "1-40", "1-42", "1-43")),
    ),
    (re.compile(r"\bGLP-?1\s?\Z"), frozenset(("7-36", "7-37", "9-36", "9-37"))),
    (re.compile(r"\bAng(?:iotensin)?[\s-]?\Z", re.IGNORECASE), frozenset(("1-5", "1-7", "1-9"))),
    (re.compile(r"\b(?:ACTH|[Cc]orticotropin)[\s-]?\Z"), frozenset(("1-24", "1-39"))),
    (re.compile(r"\bBNP[\s-]?\Z"), frozenset(("1-32", "3-32"))),
)
_HEDGES = r"(?:(?:about|approximately|around|only|roughly|nearly|almost|just|still|at|of)\s|[~≈]\s?){0,2}\Z"
_ESTIMATE = re.compile(
    r"\b(?:[Rr]atios?|[Rr]elative\srisk|[Mm]ean\sdifference|a?(?:OR|HR|RR|IRR)|W?MD|SMD|NN[TH])"
    rf"(?:\s(?:was|is|of|were)|\s?[=:,])?\s?{_HEDGES}"
    r"|\b(?:[Mm]edian|[Mm]ean|[Aa]verage)(?:\s?[=:,])?\s"
    rf"{_HEDGES}"
    r"|\b[Mm]edian\b[^.;\n]{1,40}\s(?:is|was|of)\s"
    rf"{_HEDGES}"
)
_MEASURED = re.compile(
    r"\b(?:was|were|averaged|lasted|reached|measured|totall?ed)\s"
    rf"{_HEDGES}"
    r"|\b(?:fell|rose|dropped|went|grew|(?<!\bbe\s)(?<!\bis\s)(?<!\bare\s)(?:de|in)creased|declined)\s"
    rf"[^.;\n]{{0,30}}?(?:to|from)\s{_HEDGES}"
    # the verb is left out behind "and": "sodium was 140 and potassium 4 [3–5]"
    r"|\b(?:was|were)\s[^.;\n]{1,60}\sand\s[^\s.;]{1,20}\s\Z"
)
# Of a change the first number would have a spread, too: "fell from 8% to 7% [5-8]" cites.
_CHANGE = re.compile(rf"\bfrom\s[^.;\n\[(]{{0,12}}\d[^.;\n\[(]{{0,40}}\bto\s{_HEDGES}")
_SPREAD_BEFORE = re.compile(
    r"\d[^\[\].;\n]{0,12}\[(?:IQR|SD|[Rr]ange|(?:9[059]\s?%\s?)?C[rI]I?)\b[^\[\]]{0,30}\]"
)
_MANY = 10
_OPENS_ITS_CELL = re.compile(r"\|[\s*_]*\Z")
_BARE_IN_A_CELL = re.compile(r"[\d.]+\s?\[[^\[\]]{1,16}\][\s*_]*\|")
_CITED_BEHIND = re.compile(r"[ ]\[\d")
_FAR = 80


def holds_a_value(reader: LabelReader, start: int, content: str, low: int, high: int) -> bool:
    """Tell whether `[low-high]` is a value by what it is called or measured in, whatever the reference list has.

    `95% CI [2, 5]`, `[135–145] mmol/L`, `a scale [1–10]`, `PTH [1-34]`, `Weeks [1-12]`.
    """
    text, last = reader.text, start + len(content) + 2
    before = text[max(0, start - 48) : start]
    if _NAMED.search(before) or _NAMED_ELSEWHERE.search(before):
        return True
    quantity = QUANTITY.search(before)
    if has_unit_behind(text, last) and quantity is None:
        return True
    if before.rstrip(" ")[-1:].isdigit() and reader.has_shares_in_brackets:
        return True
    if "," in content or ";" in content:
        return False
    if _SPELLED_UNIT.match(text, last) and _TAKES_A_QUANTITY.search(before[-12:]):
        return True
    if high - low >= _MANY and _RANGE.search(before):  # "the range [10–20] is normal"
        return True
    if _TARGET.search(before) or _NUMBERED_TIMES.search(before):
        return True
    if low == 1 and high in _LAST_OF_A_SCALE and _SCALE.search(before[-24:]):
        return True
    pasted = before[-1:].isalpha() and reader.numbered and not reader.known(str(high))
    return pasted or is_part_of_a_peptide(before, low, high)


def holds_decimals(reader: LabelReader, start: int, content: str) -> bool:
    """Tell whether a bracket holds two numbers with a decimal comma: `1,9 [1,2; 3,4]`, `HR 0,84 [0,73, 0,95]`.

    Behind a whole number `[1,2; 3,4]` cites where the list has all four.
    """
    found = _DECIMALS.fullmatch(content)
    if found is None:
        return False
    low, high = map(as_number, found.groups())
    if low > high:
        return False
    before = reader.text[max(0, start - 48) : start]
    if content.strip()[:2] == "0," or _NAMED.search(before) or _NAMED_ELSEWHERE.search(before):
        return True
    quantity = QUANTITY.search(before)
    if quantity is None or not low <= as_number(quantity["number"]) <= high:
        return False
    listed = all(map(reader.cited, re.findall(r"\d+", content)))
    return "," in quantity["number"] or not listed or bool(_ESTIMATE.search(before[: quantity.start()]))


def as_number(written: str) -> float:
    """Read a number, with a decimal point or comma."""
    return float(written.replace(",", "."))


def has_unit_behind(text: str, last: int) -> bool:
    """Tell whether a unit follows a bracket that ends at `last`: what stands in it is a value."""
    return _BEHIND_A_VALUE.match(text, last) is not None


def is_part_of_a_peptide(before: str, low: int, high: int) -> bool:
    """Tell whether two numbers say which residues of the peptide before them are meant: `Aβ(1-42)`."""
    return any(f"{low}-{high}" in parts and name.search(before) for name, parts in _PEPTIDES)


def is_spread_of(text: str, start: int, content: str, number: int) -> bool:
    """Tell whether a pair, both of which the list has, is the spread of the quantity at `number` before it.

    So it is of an estimate (`odds ratio was 2 [1–3]`), of what was measured (`fell to 3 days [2–4]`), where a citation
    of its own stands behind (`4 years [1, 5] [2]`), where the two fill a table's cell (`| 5 [3-8] |`), and where ten
    sources would be cited at once. `Treat for 3 days [1-4]` and `by 1.5% [1-3]` cite.
    """
    if _CITED_BEHIND.match(text, start + len(content) + 2):
        return True
    before = text[max(0, number - _FAR) : number]
    if "," in content or _CHANGE.search(before):
        return False
    if ";" in content:
        return _ESTIMATE.search(before) is not None
    low, high = re.findall(r"\d+", content)
    if int(high) - int(low) >= _MANY or _SPREAD_BEFORE.search(before):
        return True
    last = start + len(content) + 2
    if text[number:start].strip().isdecimal() and _SPELLED_UNIT.match(text, last):  # "give 2 [1–3] tablets"
        return True
    if _OPENS_ITS_CELL.search(before) and _BARE_IN_A_CELL.match(text, number):
        return True
    return bool(_ESTIMATE.search(before) or _MEASURED.search(before))
