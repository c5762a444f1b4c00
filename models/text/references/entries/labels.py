"""The labels of a reference list's entries: `[1]`, `1.`, `**1.**`, `Ref 1:`, `[Doc 1]`, `¹`, `†`."""

import re
from collections.abc import Collection, Iterator

from medassay.models.records import Span
from medassay.models.text.labels.forms import FLATTENED, NOTE_SYMBOL, PLAIN_DIGITS, normalise_label

_SPELLED = (
    r"(?i:ref(?:erence)?|source|doc(?:ument)?|citation|study|paper|article|passage|context|snippet|chunk"
    r"|quelle|réf|référence|fuente|fonte)"
)
# "ATA 2017", "NICE NG51", "ACC/AHA 2019".
_BODY = r"[A-Z][A-Za-z/&-]{1,14}\s(?:[A-Z]{1,3}-?\d{1,4}|(?:19|20)\d\d[a-h]?)"
# "Document 1 (score 0.91): …"; what identifies it, "Document 1 (PMID 123): …", is no part of the label.
_ASIDE = r"(?:\s\((?![^()\n]{0,60}(?:\d{5}|://|10\.\d{4}))[^()\n]{1,60}\)[*_]{0,2}(?=:))?"
LABEL = re.compile(
    r"[\s>*•·◦▪_#–📚📖📄📑🔗-]*(?:\.\.\s(?=\[))?(?:\\?\[{1,2}\^?@?"
    r"(?P<square>[\w.:-]{1,40}(?:\s\d{1,3})?|\d{1,3}(?:\s?[,–-]\s?\d{1,3}){1,9})\^?\\?\]{1,2}(?!\()[:.]?"
    r"|\[{1,2}\^?(?P<linked>\d{1,3})\]{1,2}(?=\()|[【［](?P<wide>\d{1,3})[】］]"
    rf"|\[{{1,2}}(?P<body>{_BODY})\]{{1,2}}(?!\()[:.]?|(?P<named>{_BODY})[*_]{{0,2}}(?::(?=[\s*_])|\.(?=\s[A-Z]))"
    r"|\\bibitem(?:\[[^\]\n]{0,80}\])?\{(?P<bib>[^{}\s]{1,60})\}"
    r"|(?P<plain>\d{1,3})(?:\\?[.)](?=[\s*_])|[．、]|\ufe0f?\u20e3)"
    rf"|(?P<spelled>{_SPELLED}\.?[\s#_-]{{0,2}}(?:\d{{1,3}}|[A-Z]\b)|[A-Z]{{1,2}}\d{{1,3}})[*_]{{0,2}}{_ASIDE}(?:\s?:|[.)]|\s[-–—=](?=\s)"
    r"|(?=\s\([^()\n]{1,60}\):))(?=[\s*_])"
    r"|(?P<numbered>\d{1,3})[*_]{0,2}(?::|\s[-–—=])(?=[\s*_])"
    r"|<(?:ref|reference|source|citation|document)\s(?:id|index|n)=[\"']?(?P<tag>\w{1,20})[\"']?>"
    r"|@?(?P<key>[A-Za-z][a-z]{1,20}_?(?:19|20)\d\d[a-z]{0,20})[*_]{0,2}:(?=[\s*_])"
    r"|(?P<study>[A-ZÀ-ÖØ-Þ][\w'’ -]{1,40}\s(?:19|20)\d\d[a-h]?)[*_]{0,2}\s\{(?:un)?published\s[^{}\n]{1,80}\}"
    r"|\((?P<round>\d{1,3})\)|(?P<raised>[⁰¹²³⁴-⁹]{1,3})|<sup>(?P<sup>\d{1,3})</sup>|\^(?P<caret>\d{1,3})\^?"
    r"|\^?\{(?P<braced>\d{1,3})\}"
    rf"|(?P<symbol>{NOTE_SYMBOL})(?=\s*\w)|(?P<letter>[A-Za-z]|[IVX]{{2,5}}|[ivx]{{2,5}})[.):](?=\s)"
    r"|\((?P<small>[a-z]|[ivx]{2,5})\)(?=\s)"
    r"|(?P<bare>\d{1,3})(?=[*_]{0,2}\s+(?:[*_]{0,2}[A-ZÀ-ÖØ-Þ“\"„]|https?://|(?:[a-z]{2,4}\s){1,2}[A-Z]|\[))"
    r")[*_]{0,2}\s*"
)
_IN_BRACKETS = re.compile(
    r"[\w.,;:!?%)\]\"'”’][*_]{0,2}[ \t]*\\?[\[【［]{1,2}\^?([^\[\]【】［］\n]{1,80})[\]】］]"
    rf"|[\w.]\s?\((?P<body>{_BODY}(?:;\s{_BODY}){{0,5}})\)"
    r"|[⁰¹²³⁴-⁹]{1,3}|<sup>(?:<a\s[^<>\n]{1,200}>)?([^<>\n]{1,40})(?:</a>)?</sup>|\^\{([\d,\s–-]{1,40})\}"
    r"|[\w.]\s?\((\d{1,3}(?:\s?[,–-]\s?\d{1,3}){0,20}|[a-z]|[ivx]{2,5})\)"
)
_ONLY_LABELS = re.compile(
    r"(?=\D*\d|[^⁰¹²³⁴-⁹]*[⁰¹²³⁴-⁹])"
    r"(?:(?<!\d)\d{1,3}(?!\d)|[⁰¹²³⁴-⁹⁻]|</?sup>|\b(?:and|und|et|y)\b|[\[\]【】［］()^,;&.\s*_–—-])+",
    re.IGNORECASE,
)
_RANGE = re.compile(r"(?<!\d)(\d{1,3})\s?[-–—]\s?(\d{1,3})(?!\d)")
_MOST_OF_A_RANGE = 60
_WIDEST_SKIP = 3
_FORMS = {
    "square": re.compile(
        r"(?:(?<=\s)|(?<=[;,.]))[*_]{0,2}\[{1,2}\^?(?P<n>\d{1,3})\]{1,2}(?=[\s:.*_]|[A-ZÀ-ÖØ-Þ])"
    ),
    "linked": re.compile(r"(?:(?<=\s)|(?<=[;,.|]))\[{1,2}\^?(?P<n>\d{1,3})\]{1,2}(?=\()"),
    "round": re.compile(r"(?:(?<=\s)|(?<=[;,.]))\((?P<n>\d{1,3})\)(?=\s|[A-ZÀ-ÖØ-Þ])"),
    "spelled": re.compile(rf"(?<=[.;,]\s){_SPELLED}\.?[\s#_-]{{0,2}}(?P<n>\d{{1,3}})\s?:(?=\s)"),
    "braced": re.compile(r"(?:(?<=\s)|(?<=[;,.]))\{(?P<n>\d{1,3})\}(?=\s)"),
    "sup": re.compile(r"(?:(?<=\s)|(?<=[;,.]))<sup>(?P<n>\d{1,3})</sup>(?=\s?[^\W_])"),
    "raised": re.compile(r"(?:(?<=\s)|(?<=[;,.]))(?P<n>[⁰¹²³⁴-⁹]{1,3})(?=\s?[^\W_])"),
    "plain": re.compile(
        r"(?:(?<=[.;,)\]/]\s)|(?<=[.;,)\]/]\s\s)|(?<=\d\s))(?P<n>\d{1,3})[.)](?=\s[“\"*\[]?[A-ZÀ-ÖØ-Þh\d])"
    ),
    "numbered": re.compile(r"(?:(?<=[.;,)\]/]\s)|(?<=\d\s))(?P<n>\d{1,3})(?::|\s[-–—=])(?=\s)"),
    "bare": re.compile(r"(?<=[.;)\]/]\s)(?P<n>\d{1,3})(?=\s(?:[A-ZÀ-ÖØ-Þ]|ibid))"),
}


def label_of(raw: str) -> re.Match[str] | None:
    """Read the label that a line of a list begins with."""
    return LABEL.match(raw)


def is_only_labels(raw: str) -> bool:
    """Tell whether a line holds labels and nothing that they could name: `[1], [2]`, `1–3`, `¹ ²`."""
    return _ONLY_LABELS.fullmatch(raw) is not None


def form_of(label: re.Match[str]) -> str:
    """Name the form of a label."""
    return label.lastgroup or ""


def written_label(label: re.Match[str]) -> str:
    """Return a label as it is written, without its brackets."""
    return label[form_of(label)]


def number_of(label: re.Match[str]) -> int | None:
    """Return a label's number, that of `Doc 1` too; None if it has none."""
    written = written_label(label).translate(PLAIN_DIGITS)
    digits = re.search(r"(?<!\d)\d{1,3}\Z", written) if form_of(label) in ("spelled", "square") else None
    return int(written) if written.isdecimal() else int(digits[0]) if digits else None


def labels_together(label: str) -> list[str]:
    """List the numbers of a label `1, 2` or `3–5`; nothing for one that is no more than one."""
    if not re.fullmatch(r"\d{1,3}(?:\s?[,–-]\s?\d{1,3})+", label):
        return []
    numbers: list[str] = []
    for part in label.split(","):
        low, *high = (int(n) for n in re.findall(r"\d+", part))
        numbers += [str(n) for n in range(low, min(max(high, default=low), low + _MOST_OF_A_RANGE) + 1)]
    return numbers


def cited_labels(text: str) -> frozenset[str]:
    """List what stands in brackets, raised or flattened behind words, in lower case: the labels a list may have."""
    cited: set[str] = set()
    for found in _IN_BRACKETS.finditer(text):
        if found["body"]:
            cited.update(found["body"].casefold().split("; "))
            continue
        inside = (found[1] or found[3] or found[4] or found[5] or found[0].translate(PLAIN_DIGITS)).casefold()
        cited.update(re.findall(r"\d{1,3}(?!\d)", inside))
        parts = [part.strip(" .^@\\") for part in re.split(r"[,;§]", inside)]
        cited.update(parts)
        cited.update(normalise_label(part) for part in parts if part.startswith(("source ", "document ")))
        for low, high in _RANGE.findall(inside):
            cited.update(str(n) for n in range(int(low), min(int(high), int(low) + _MOST_OF_A_RANGE) + 1))
    for found in FLATTENED.finditer(text):
        cited.update(re.findall(r"\d+", found[0]))
    return frozenset(cited)


def labels_in_line(text: str, span: Span, label: re.Match[str], cited: Collection[str] = ()) -> Iterator[int]:
    """Find where `[1] …; [2] …` and `1. … 2. …` go on with the next number on the same line.

    In brackets behind a stop, as in `[7] …; [2] …`, it may be any that is cited. A number alone, `1 … 2 …`, has to be.
    """
    number = number_of(label)
    pattern = _FORMS.get(form_of(label))
    if number is None or pattern is None:
        return
    for found in pattern.finditer(text, span.start + label.end(), span.end):
        n = int(found["n"].translate(PLAIN_DIGITS))
        apart = form_of(label) in ("square", "linked") and text[
            found.start() - 2 : found.start()
        ].rstrip().endswith((";", "."))
        if form_of(label) == "bare" and str(n) not in cited:
            continue
        skips = form_of(label) == "bare" and number < n <= number + _WIDEST_SKIP  # `2 ibid` is cited nowhere
        if n == number + 1 or skips or apart and n != number and str(n) in cited:
            number = n
            yield found.start()
