"""Reading `Analyze: Step 1 … Score: Doctor 1: 5 points. …`, the form of AutoMedEval's listwise judge.

The strict reader takes the form and nothing else. The tolerant one takes other letter case, markdown, `4 points out of
5`, `Dr. 1 (4/5)` and doctors in another order. A table, JSON and what could mean two things are complaints: the model
is asked for the form once more.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from medassay.models.chat.reply import Complaint, visible_part

FEWEST_POINTS, MOST_POINTS = 1, 5
_STRICT = re.compile(
    r"\s*Analyze:\s*(?P<analysis>Step 1\b.*?)\s*Score:\s*"
    r"(?P<scores>(?:Doctor [1-9]\d{0,3}: (?:0|[1-9]\d{0,3}) points?\.\s*)+)",
    re.DOTALL | re.ASCII,
)
_STRICT_SCORE = re.compile(r"Doctor (\d+): (\d+) points?\.", re.ASCII)
_HEADING = re.compile(
    r"(?:^[^\w\n]{0,9}(?P<final>final )?(?:scores?|ratings?|scoring)[^\S\n]*(?:\((?P<scale>[^)\n]{0,30})\))?"
    r"[^\w\n]{0,9}(?:$|(?=doctor|dr\b))|\bscores?\s*:\s*(?=doctor|dr\b))",
    re.IGNORECASE | re.MULTILINE,
)
_DOCTOR = re.compile(
    r"\b(?:doctor|dr\b\.?)\s*#?\s*(?P<doctor>[0-9]{1,4})\s*"
    r"(?:[:=(–—-]|\b(?:gets|receives|scores|earns|deserves|is (?:given|awarded)))\s*",
    re.IGNORECASE,
)
_POINTS = re.compile(
    r"(?P<points>-?[0-9]{1,4}(?:[.,][0-9]{1,4})?)(?P<unit>\s*(?:points?|pts?)\b)?"
    r"(?:\s*(?:/|(?:out )?of)\s*(?P<of>[0-9]{1,4})(?:\s*(?:points?|pts)\b)?)?(?=\s*(?:[.;,)]|$|\n|(?:doctor|dr)\b))",
    re.IGNORECASE,
)
_ANOTHER_NUMBER = re.compile(r"[^\w\n]*(?:(?:or|to|and|maybe|perhaps|possibly)\s+)*[0-9]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ListwiseReply:
    """Points by doctor (1..n, in order), the rationale, and whether the form was kept to the letter."""

    points: tuple[int, ...]
    rationale: str
    is_strict: bool


def score_lines(points: Iterable[int]) -> list[str]:
    """Return the lines that give Doctor 1 to n their points, in the form to the letter."""
    return [
        f"Doctor {n}: {given} point{'' if given == 1 else 's'}." for n, given in enumerate(points, start=1)
    ]


def read_listwise(text: str, n_doctors: int) -> ListwiseReply:
    """Read a reply strictly, else tolerantly.

    Raises:
        Complaint: when a doctor has no points, two different ones, or points out of 1–5.
    """
    visible = visible_part(text).strip()
    try:
        return read_strict(visible, n_doctors)
    except Complaint:
        return read_tolerant(visible, n_doctors)


def read_strict(text: str, n_doctors: int) -> ListwiseReply:
    """Read the form to the letter: analysis with steps, then one line a doctor, in order."""
    match = _STRICT.fullmatch(text)
    if match is None:
        raise Complaint("it is not of the form 'Analyze: Step 1 … Score: Doctor 1: n points. …'")
    if _HEADING.search(match["analysis"]):
        raise Complaint("there is a second Score")
    given = [(int(d), int(p)) for d, p in _STRICT_SCORE.findall(match["scores"])]
    if [doctor for doctor, _ in given] != list(range(1, n_doctors + 1)):
        raise Complaint(f"the scores are not of Doctor 1 to Doctor {n_doctors}, each once and in order")
    return ListwiseReply(tuple(_in_range(d, p) for d, p in given), match["analysis"].strip(), True)


def read_tolerant(text: str, n_doctors: int) -> ListwiseReply:
    """Read what clearly means the form: the points after the first `Score` heading, or after a `Final score`.

    Without a heading a number counts only with its unit: "2 errors" and "5 mg" are no points.
    """
    plain = _plain(text)
    headings = list(_HEADING.finditer(plain))
    heading = next((one for one in reversed(headings) if one["final"]), headings[0] if headings else None)
    if heading and (top := re.search(r"([0-9]+)\D*$", heading["scale"] or "")) and int(top[1]) != MOST_POINTS:
        raise Complaint(f"the points are said to be on another scale: {heading['scale']}")
    points, unread = _points_in(plain[heading.end() :] if heading else plain, needs_unit=heading is None)
    if missing := [doctor for doctor in range(1, n_doctors + 1) if doctor not in points]:
        said = next((f"; it says {unread[doctor]!r}" for doctor in missing if doctor in unread), "")
        raise Complaint(f"no points are given to {', '.join(f'Doctor {one}' for one in missing)}{said}")
    if extra := sorted(set(points) - set(range(1, n_doctors + 1))):
        raise Complaint(f"there is no Doctor {extra[0]}")
    rationale = re.sub(
        r"^\s*Analyze:\s*", "", plain[: heading.start()] if heading else plain, flags=re.IGNORECASE
    )
    return ListwiseReply(tuple(points[n] for n in range(1, n_doctors + 1)), rationale.strip(), False)


def gives_points(text: str) -> bool:
    """Return whether a reply gives any doctor points, be they sound or not, for all doctors or not."""
    try:
        return bool(_points_in(_plain(visible_part(text)), needs_unit=False)[0])
    except Complaint:
        return True


def _plain(text: str) -> str:
    """Return a reply without markup."""
    return re.sub(r"[*_`#]+|</?\w{1,9}>", "", re.sub(r"<br\s*/?>", "\n", text))


def _points_in(section: str, *, needs_unit: bool) -> tuple[dict[int, int], dict[int, str]]:
    """Return points by doctor, and what is said of doctors where a number could not be read as points."""
    points: dict[int, int] = {}
    unread: dict[int, str] = {}
    for named in _DOCTOR.finditer(section):
        doctor = int(named["doctor"])
        given = _POINTS.match(section, named.end())
        if given is None or _ANOTHER_NUMBER.match(section, given.end()):
            unread.setdefault(doctor, section[named.end() :].partition("\n")[0][:40])
        elif given["unit"] or given["of"] or not needs_unit:
            value = _value(doctor, given)
            if points.setdefault(doctor, value) != value:
                raise Complaint(f"Doctor {doctor} is scored twice, {points[doctor]} and {value}")
    return points, unread


def _value(doctor: int, given: re.Match[str]) -> int:
    written = given["points"].replace(",", ".")
    if given["of"] not in (None, str(MOST_POINTS)):
        raise Complaint(f"Doctor {doctor} is scored out of {given['of']}, not out of {MOST_POINTS}")
    if not float(written).is_integer():
        raise Complaint(f"Doctor {doctor} has {written} points; points are integers")
    return _in_range(doctor, int(float(written)))


def _in_range(doctor: int, points: int) -> int:
    if not FEWEST_POINTS <= points <= MOST_POINTS:
        raise Complaint(
            f"Doctor {doctor} has {points} points; points are from {FEWEST_POINTS} to {MOST_POINTS}"
        )
    return points
