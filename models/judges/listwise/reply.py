"""Reading `Analyze: Step 1 … Score: Doctor 1: 5 points. …`, the form of AutoMedEval's listwise judge.

The strict reader takes the form and nothing else. The tolerant one takes what clearly means the same: other
letter case, markdown, `5/5`, a missing heading, doctors in another order.
"""

import re
from dataclasses import dataclass

from models.chat.reply import Complaint, visible_part

FEWEST_POINTS, MOST_POINTS = 1, 5
_STRICT = re.compile(
    r"\s*Analyze:\s*(?P<analysis>Step 1\b.*?)\s*Score:\s*(?P<scores>(?:Doctor \d+: \d+ points?\.\s*)+)",
    re.DOTALL,
)
_STRICT_SCORE = re.compile(r"Doctor (\d+): (\d+) points?\.")
_HEADING = re.compile(r"^[\W_]*(?:final\s+)?scores?[\W_]*(?:$|(?=doctor))", re.IGNORECASE | re.MULTILINE)
_TOLERANT_SCORE = re.compile(
    r"doctor\s*#?\s*(?P<doctor>\d+)\s*(?:[:=\-–—]|gets|receives|scores)+\s*(?P<points>[-+]?\d+(?:[.,]\d+)?)"
    r"(?:\s*/\s*(?P<of>\d+))?",
    re.IGNORECASE,
)


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
    given = [(int(d), int(p)) for d, p in _STRICT_SCORE.findall(match["scores"])]
    if [doctor for doctor, _ in given] != list(range(1, n_doctors + 1)):
        raise Complaint(f"the scores are not of Doctor 1 to Doctor {n_doctors}, each once and in order")
    return ListwiseReply(tuple(_in_range(d, p) for d, p in given), match["analysis"].strip(), True)


def read_tolerant(text: str, n_doctors: int) -> ListwiseReply:
    """Read what clearly means the form: the points after the last `Score` heading, if any."""
    plain = re.sub(r"[*_`#]+", "", text)
    headings = list(_HEADING.finditer(plain))
    start = headings[-1].end() if headings else 0
    points: dict[int, int] = {}
    for match in _TOLERANT_SCORE.finditer(plain, start):
        doctor, written = int(match["doctor"]), match["points"].replace(",", ".")
        if match["of"] not in (None, str(MOST_POINTS)):
            raise Complaint(f"Doctor {doctor} is scored out of {match['of']}, not out of {MOST_POINTS}")
        if not float(written).is_integer():
            raise Complaint(f"Doctor {doctor} has {written} points; points are integers")
        value = _in_range(doctor, int(float(written)))
        if points.setdefault(doctor, value) != value:
            raise Complaint(f"Doctor {doctor} is scored twice, {points[doctor]} and {value}")
    if missing := [doctor for doctor in range(1, n_doctors + 1) if doctor not in points]:
        raise Complaint("no points are given to " + ", ".join(f"Doctor {doctor}" for doctor in missing))
    if extra := sorted(set(points) - set(range(1, n_doctors + 1))):
        raise Complaint(f"there is no Doctor {extra[0]}")
    rationale = plain[: headings[-1].start()] if headings else plain
    ordered = tuple(points[doctor] for doctor in range(1, n_doctors + 1))
    return ListwiseReply(ordered, re.sub(r"^\s*Analyze:\s*", "", rationale, flags=re.I).strip(), False)


def _in_range(doctor: int, points: int) -> int:
    if not FEWEST_POINTS <= points <= MOST_POINTS:
        raise Complaint(
            f"Doctor {doctor} has {points} points; points are from {FEWEST_POINTS} to {MOST_POINTS}"
        )
    return points
