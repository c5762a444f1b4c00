"""Reading `Analyze: Step 1 … Score: Doctor 1: 5 points. …`, the form of AutoMedEval's listwise judge.

The strict reader takes the form and nothing else. The tolerant one takes what clearly means the same: other
letter case, markdown, `5/5`, a missing heading, doctors in another order.
"""

import re
from dataclasses import dataclass

from models.chat.reply import Complaint, visible_part

FEWEST_POINTS, MOST_POINTS = 1, 5
_STRICT = re.compile(
    r"\s*Analyze:\s*(?P<analysis>Step 1\b.*?)\s*Score:\s*"
    r"(?P<scores>(?:Doctor [1-9]\d{0,3}: (?:0|[1-9]\d{0,3}) points?\.\s*)+)",
    re.DOTALL | re.ASCII,
)
_STRICT_SCORE = re.compile(r"Doctor (\d+): (\d+) points?\.", re.ASCII)
_HEADING = re.compile(
    r"^[\W_]*(?P<final>final\s+)?(?:scores?|ratings?)\s*(?:\([^)\n]{0,30}\))?[\W_]*(?:$|(?=doctor))",
    re.IGNORECASE | re.MULTILINE,
)
_HEADING_IN_A_LINE = re.compile(r"\b(?P<final>final\s+)?scores?\s*:\s*(?=doctor)", re.IGNORECASE)
_DOCTOR = re.compile(
    r"doctor\s*#?\s*(?P<doctor>[0-9]{1,4})(?:(?P<cell>\s*\|)|\s*[:=]+|\s+[-–—](?=\s)|\s+(?:gets|receives|scores))\s*",
    re.IGNORECASE,
)
_POINTS = re.compile(
    r"(?P<points>[-+]?(?!0[0-9])[0-9]{1,4}(?:[.,][0-9]{1,4})?)"
    r"(?:\s*(?:/|(?:out )?of\b)\s*(?P<of>[0-9]{1,4}))?(?P<unit>\s*(?:points?|pts?)\b)?"
    r"(?=\s*(?:[.;,)\]|(]|$|\n|doctor\b|[-–—]\s))",
    re.IGNORECASE,
)
_WIDE_SIGNS = str.maketrans({"：": ":", "。": "."})


@dataclass(frozen=True, slots=True)
class ListwiseReply:
    """Points by doctor (1..n, in order), the rationale, and whether the form was kept to the letter."""

    points: tuple[int, ...]
    rationale: str
    is_strict: bool


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
    if _headings(match["analysis"]):
        raise Complaint("there is a second Score")
    given = [(int(d), int(p)) for d, p in _STRICT_SCORE.findall(match["scores"])]
    if [doctor for doctor, _ in given] != list(range(1, n_doctors + 1)):
        raise Complaint(f"the scores are not of Doctor 1 to Doctor {n_doctors}, each once and in order")
    return ListwiseReply(tuple(_in_range(d, p) for d, p in given), match["analysis"].strip(), True)


def read_tolerant(text: str, n_doctors: int) -> ListwiseReply:
    """Read what clearly means the form: the points after a `Score` heading, if there is one.

    A number counts where it stands alone or with its unit: "3-4", "2 errors" and "5 mg" are no points.
    """
    plain = re.sub(r"[*_`#]+", "", text).translate(_WIDE_SIGNS)
    headings = _headings(plain)
    if not headings:
        return ListwiseReply(_ordered(plain, n_doctors, is_headed=False), _rationale(plain), False)
    ends = [heading.start() for heading in headings[1:]] + [len(plain)]
    sections = [plain[heading.end() : end] for heading, end in zip(headings, ends, strict=True)]
    points = _ordered(sections[-1], n_doctors, is_headed=True)
    if not headings[-1]["final"] and any(_differs(section, points) for section in sections[:-1]):
        raise Complaint("scores are given in two places, and they differ")
    return ListwiseReply(points, _rationale(plain[: headings[-1].start()]), False)


def _headings(text: str) -> list[re.Match[str]]:
    """Find every `Score` heading, on a line of its own or within one, in order."""
    by_end = {found.end(): found for found in _HEADING_IN_A_LINE.finditer(text)}
    by_end |= {found.end(): found for found in _HEADING.finditer(text)}
    return [by_end[end] for end in sorted(by_end)]


def _ordered(section: str, n_doctors: int, *, is_headed: bool) -> tuple[int, ...]:
    """Return the points of Doctor 1 to n as a section gives them."""
    points, unread = _points_in(section, is_headed=is_headed)
    if missing := [doctor for doctor in range(1, n_doctors + 1) if doctor not in points]:
        said = next((f"; it says {unread[doctor]!r}" for doctor in missing if doctor in unread), "")
        raise Complaint(
            "no points are given to " + ", ".join(f"Doctor {doctor}" for doctor in missing) + said
        )
    if extra := sorted(set(points) - set(range(1, n_doctors + 1))):
        raise Complaint(f"there is no Doctor {extra[0]}")
    return tuple(points[doctor] for doctor in range(1, n_doctors + 1))


def _points_in(section: str, *, is_headed: bool) -> tuple[dict[int, int], dict[int, str]]:
    """Return points by doctor, and what is said of doctors where a number could not be read as points."""
    points: dict[int, int] = {}
    unread: dict[int, str] = {}
    for named in _DOCTOR.finditer(section):
        doctor, behind = int(named["doctor"]), section[named.end() :].partition("\n")[0]
        given = _in_row(behind) if named["cell"] else _POINTS.match(section, named.end())
        if given is None:
            unread.setdefault(doctor, behind[:40])
        elif is_headed or given["of"] or given["unit"]:
            value = _value(doctor, given)
            if points.setdefault(doctor, value) != value:
                raise Complaint(f"Doctor {doctor} is scored twice, {points[doctor]} and {value}")
    return points, unread


def _in_row(cells: str) -> re.Match[str] | None:
    """Find the points among the other cells of a doctor's row; of two numbers none is known to be them."""
    numbers = [found for cell in cells.split("|") if (found := _POINTS.fullmatch(cell.strip()))]
    return numbers[0] if len(numbers) == 1 else None


def _value(doctor: int, given: re.Match[str]) -> int:
    written = given["points"].replace(",", ".")
    if given["of"] not in (None, str(MOST_POINTS)):
        raise Complaint(f"Doctor {doctor} is scored out of {given['of']}, not out of {MOST_POINTS}")
    if not float(written).is_integer():
        raise Complaint(f"Doctor {doctor} has {written} points; points are integers")
    return _in_range(doctor, int(float(written)))


def _differs(section: str, points: tuple[int, ...]) -> bool:
    """Whether an earlier section gives every doctor points, and others than these."""
    try:
        return _ordered(section, len(points), is_headed=True) != points
    except Complaint:
        return False


def _rationale(analysis: str) -> str:
    return re.sub(r"^\s*Analyze:\s*", "", analysis, flags=re.IGNORECASE).strip()


def _in_range(doctor: int, points: int) -> int:
    if not FEWEST_POINTS <= points <= MOST_POINTS:
        raise Complaint(
            f"Doctor {doctor} has {points} points; points are from {FEWEST_POINTS} to {MOST_POINTS}"
        )
    return points
