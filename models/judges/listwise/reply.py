"""Reading `Analyze: Step 1 … Score: Doctor 1: 5 points. …`, the form of AutoMedEval's listwise judge.

The strict reader takes the form and nothing else. The tolerant one takes what clearly means the same: other
letter case, markdown, `4 points out of 5`, `Dr. 1 (4/5)`, a missing heading, doctors in another order, a table, JSON.
What could mean two things is a complaint, and never one of them.
"""

import re
from dataclasses import dataclass

from medassay.models.chat.reply import Complaint, visible_part
from medassay.models.judges.listwise.objects import objects_written_out, whole_value, words_of
from medassay.models.judges.listwise.tables import tables_written_out

FEWEST_POINTS, MOST_POINTS = 1, 5
_STRICT = re.compile(
    r"\s*Analyze:\s*(?P<analysis>Step 1\b.*?)\s*Score:\s*"
    r"(?P<scores>(?:Doctor [1-9]\d{0,3}: (?:0|[1-9]\d{0,3}) points?\.\s*)+)",
    re.DOTALL | re.ASCII,
)
_STRICT_SCORE = re.compile(r"Doctor (\d+): (\d+) points?\.", re.ASCII)
_HEADING = re.compile(
    r"^(?:[^\w\n]|_)*+(?P<final>final\s+)?(?:scores?|ratings?|scoring)[^\S\n]*+(?:\((?P<scale>[^)\n]{0,30})\))?"
    r"(?:[^\w\n]|_)*+(?:$|(?=doctor|dr\b))",
    re.IGNORECASE | re.MULTILINE,
)
_HEADING_IN_A_LINE = re.compile(r"\b(?P<final>final\s+)?scores?\s*:\s*(?=doctor|dr\b)", re.IGNORECASE)
_TOP_OF_SCALE = re.compile(r"(?:\b(?:out )?of|/|[-–—]|\bto)\s*([0-9]+)\s*(?:points?|pts)?\s*$", re.IGNORECASE)
_DOCTOR = re.compile(
    r"\b(?:doctor|dr\b\.?|dr(?=[0-9]))\s*#?\s*(?P<doctor>[0-9]{1,4})(?:(?P<cell>\s*\|)|(?P<bracket>\s*\()"
    r"|(?P<score>(?:['’]s)?\s+(?:final\s+)?(?:score|rating)s?(?:\s*[:=]|\s+is\b|\s+[-–—](?=\s)))"
    r"|\s*(?:[:=]+>?|[-=]>|→)|\s+[-–—](?=\s)|\s+(?:gets|receives|scores|earns|deserves|is (?:given|awarded)))\s*"
    r"(?P<named>(?:score|rating|points)\s*[:=]\s*)?",
    re.IGNORECASE,
)
_SCALE = (
    r"/|[,(]?\s*(?:out )?of\b(?: a)?(?: possible| maximum| total)?(?: of)?"
    r"|\((?:on )?(?:(?:an? |the )?scale )?(?:of |from )?[01]\s*(?:[-–—]|to)"
)
_POINTS = re.compile(
    r"(?P<points>[-+]?(?!0[0-9])[0-9]{1,4}(?:[.,][0-9]{1,4})?)(?![.,]?[0-9])(?P<unit>\s*(?:points?|pts?)\b)?"
    rf"(?:\s*(?:{_SCALE})\s*(?P<of>[0-9]{{1,4}})(?:\s*(?:points?|pts)\b)?)?"
    r"(?!\s*[,(]?\s*(?:out\s+of|of|on\s+an?|(?:on\s+)?(?:an?\s+|the\s+)?scale)\b)"
    r"(?=\s*(?:[.;,)\]|(]|$|\n|:\s|(?:doctor|dr)\b|[-–—]\s))",
    re.IGNORECASE,
)
_ANOTHER_NUMBER = re.compile(
    r"[ \t]*(?:[-–—−][ \t]*[0-9]|[,;:(/&|][ \t]*(?:(?:or|to|and|maybe|perhaps|possibly|rather)\s+)*"
    r"[0-9]+(?:[.,][0-9]+)?(?:\s*/\s*[0-9]+)?(?:\s*(?:points?|pts)\b)?[ \t]*(?:[=.;,)\]|]|$|\n|(?:doctor|dr)\b))",
    re.IGNORECASE,
)
_CLOSED = re.compile(r"\s*\)(?!\s*(?:[:=]|[-–—]|to\b|or\b)\s*[0-9])", re.IGNORECASE)
_BETWEEN_DOCTORS = re.compile(r"[\s.;,]*(?:and\s+)?", re.IGNORECASE)
_LIST_MARK = re.compile(r"\s*(?:[-•+>]\s+|[0-9]{1,2}[.)]\s+)?")
_OF_OTHER_THINGS = re.compile(r"\b(?:rank|count|number of)", re.IGNORECASE)
_OF_POINTS = re.compile(r"\b(?:scor|point|rating|rate|grade)", re.IGNORECASE)
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_TAGS = re.compile(r"</?(?:b|strong|i|em|u|p|li|ul|ol|span)>", re.IGNORECASE)
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
    written = objects_written_out(text)
    whole = whole_value(text) if written else None
    if whole is not None:
        points = _ordered("\n".join(written), n_doctors, bare_from=0)
        return ListwiseReply(points, _rationale("\n".join(words_of(whole))), False)
    plain = _plain(text)
    scored = "\n".join([plain, *written])
    headings = _headings(scored)
    if not headings and written and not _can_lead_to_points(_before_objects(text)):
        raise Complaint("it is not said that the numbers are points")
    if not headings:
        return ListwiseReply(
            _ordered(scored, n_doctors, bare_from=_closing_lines(scored)), _rationale(plain), False
        )
    ends = [heading.start() for heading in headings[1:]] + [len(scored)]
    sections = [scored[heading.end() : end] for heading, end in zip(headings, ends, strict=True)]
    _check_scale(headings[-1])
    points = _ordered(sections[-1], n_doctors, bare_from=0)
    if not headings[-1]["final"] and any(_differs(section, points) for section in sections[:-1]):
        raise Complaint("scores are given in two places, and they differ")
    return ListwiseReply(points, _rationale(scored[: headings[-1].start()]), False)


def gives_points(text: str) -> bool:
    """Say whether a reply gives any doctor points, be they sound or not, for all doctors or not."""
    visible = visible_part(text)
    try:
        points, _ = _points_in("\n".join([_plain(visible), *objects_written_out(visible)]), 0)
    except Complaint:
        return True
    return bool(points)


def _plain(text: str) -> str:
    """Return a reply without markup, its tables written out."""
    return tables_written_out(
        re.sub(r"[*_`#]+", "", _TAGS.sub("", _BREAK.sub("\n", text))).translate(_WIDE_SIGNS)
    )


def _headings(text: str) -> list[re.Match[str]]:
    """Find every `Score` heading, on a line of its own or within one, in order."""
    by_end = {found.end(): found for found in _HEADING_IN_A_LINE.finditer(text)}
    by_end |= {found.end(): found for found in _HEADING.finditer(text)}
    return [by_end[end] for end in sorted(by_end)]


def _check_scale(heading: re.Match[str]) -> None:
    scale = heading.groupdict().get("scale")
    if scale and (top := _TOP_OF_SCALE.search(scale)) and int(top[1]) != MOST_POINTS:
        raise Complaint(f"the points are said to be on another scale: {scale}")


def _closing_lines(text: str) -> int:
    """Return where the lines begin that end a reply and hold doctors and numbers alone; its end if there are none."""
    start = end = len(text.rstrip())
    while start > 0:
        line = text.rfind("\n", 0, start) + 1
        if text[line:start].strip() and not _is_all_points(text[line:start].rstrip()):
            break
        end, start = line, max(line - 1, 0)
    return end if _can_lead_to_points(text[:end]) else len(text)


def _can_lead_to_points(before: str) -> bool:
    """Say whether numbers behind a text can be points: what stands last must not say that they are something else."""
    last = before.rstrip().rpartition("\n")[2].strip()
    if not last or _OF_OTHER_THINGS.search(last):
        return not last
    is_sentence = last.endswith((".", "!", ")")) and "follow" not in last
    return is_sentence or (last.endswith((":", ".")) and _OF_POINTS.search(last) is not None)


def _before_objects(text: str) -> str:
    """Return what stands before the first object of a reply, its fence left out."""
    before = text[: text.index("{")].rstrip(" \n\t[")
    return before.removesuffix("```json").removesuffix("```")


def _is_all_points(line: str) -> bool:
    """Say whether a line holds doctors, each with a number, and nothing else."""
    position = _end(_LIST_MARK, line, 0)
    while position < len(line):
        named = _DOCTOR.match(line, position)
        given = _POINTS.match(line, named.end()) if named else None
        if given is None:
            return False
        position = _end(_BETWEEN_DOCTORS, line, given.end())
    return True


def _end(pattern: re.Pattern[str], text: str, position: int) -> int:
    found = pattern.match(text, position)
    return found.end() if found else position


def _ordered(section: str, n_doctors: int, *, bare_from: int) -> tuple[int, ...]:
    """Return the points of Doctor 1 to n as a section gives them; bare numbers count from `bare_from` on."""
    points, unread = _points_in(section, bare_from)
    if missing := [doctor for doctor in range(1, n_doctors + 1) if doctor not in points]:
        said = next((f"; it says {unread[doctor]!r}" for doctor in missing if doctor in unread), "")
        raise Complaint(
            "no points are given to " + ", ".join(f"Doctor {doctor}" for doctor in missing) + said
        )
    if extra := sorted(set(points) - set(range(1, n_doctors + 1))):
        raise Complaint(f"there is no Doctor {extra[0]}")
    return tuple(points[doctor] for doctor in range(1, n_doctors + 1))


def _points_in(section: str, bare_from: int) -> tuple[dict[int, int], dict[int, str]]:
    """Return points by doctor, and what is said of doctors where a number could not be read as points."""
    points: dict[int, int] = {}
    unread: dict[int, str] = {}
    for named in _DOCTOR.finditer(section):
        doctor, behind = int(named["doctor"]), section[named.end() :].partition("\n")[0]
        given = _in_row(behind) if named["cell"] else _alone(section, named)
        if given is None:
            unread.setdefault(doctor, behind[:40])
        elif named.start() >= bare_from or given["of"] or given["unit"] or named["score"] or named["named"]:
            value = _value(doctor, given)
            if points.setdefault(doctor, value) != value:
                raise Complaint(f"Doctor {doctor} is scored twice, {points[doctor]} and {value}")
    return points, unread


def _alone(section: str, named: re.Match[str]) -> re.Match[str] | None:
    """Find the points behind a doctor's name, unless another number beside them could be meant."""
    given = _POINTS.match(section, named.end())
    if given is None or _ANOTHER_NUMBER.match(section, given.end()):
        return None
    if named["bracket"] and not _CLOSED.match(section, given.end()):
        return None
    return given


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
        return _ordered(section, len(points), bare_from=0) != points
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
