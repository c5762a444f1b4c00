"""Numbers with units, as ranges in one base unit: 0.5 mg is 500 µg, "below 8 g/dL" is all up to 80 g/L."""

import math
import re
from dataclasses import dataclass
from functools import lru_cache

NUMBER_WORDS = {
    word: float(value)
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split()
    )
} | {
    "half": 0.5,
    "fifteen": 15.0,
    "twenty": 20.0,
    "thirty": 30.0,
    "forty": 40.0,
    "fifty": 50.0,
    "hundred": 100.0,
}

# unit → (dimension, factor to the dimension's base unit)
UNITS: dict[str, tuple[str, float]] = {}
for _dimension, _table in {
    "mass": "ng 1e-6 µg 1e-3 mcg 1e-3 microgram 1e-3 micrograms 1e-3 mg 1 milligram 1 milligrams 1 "
    "g 1e3 gram 1e3 grams 1e3 kg 1e6 kilograms 1e6",
    "volume": "ml 1 millilitres 1 milliliters 1 dl 100 l 1000 litre 1000 litres 1000 liter 1000 liters 1000",
    "time": "second 1 seconds 1 sec 1 minute 60 minutes 60 min 60 mins 60 "
    "hour 3600 hours 3600 hr 3600 hrs 3600 h 3600 day 86400 days 86400 "
    "week 604800 weeks 604800 month 2629800 months 2629800 "
    "year 31557600 years 31557600 yr 31557600 yrs 31557600",
    "per mass": "mg/kg 1 µg/kg 1e-3 mcg/kg 1e-3 g/kg 1e3",
    "mass concentration": "g/dl 10 g/l 1 mg/dl 1e-2 mg/l 1e-3 µg/l 1e-6 ng/ml 1e-6 µg/ml 1e-3 mg/ml 1",
    "amount concentration": "mmol/l 1 µmol/l 1e-3 nmol/l 1e-6 mol/l 1e3 meq/l 1",
    "share": "% 1 percent 1 %-points 1",
    "temperature": "°c 1 celsius 1",
    "fahrenheit": "°f 1 fahrenheit 1",
    "pressure": "mmhg 1",
    "rate": "bpm 1 beats 1 breaths 1 ml/min 1",
    "units": "iu 1 units 1 unit 1",
    "doses": "dose 1 doses 1",
    "tablets": "tablet 1 tablets 1",
    "puffs": "puff 1 puffs 1",
    "length": "mm 1 millimetres 1 cm 10 centimetres 10 m 1000",
    "energy": "kcal 1 calories 1 kj 0.239",
}.items():
    _parts = _table.split()
    UNITS.update(
        {unit: (_dimension, float(factor)) for unit, factor in zip(_parts[::2], _parts[1::2], strict=True)}
    )

_NUMBER = r"\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|" + "|".join(rf"\b{word}\b" for word in NUMBER_WORDS)
_UNIT = "|".join(sorted((re.escape(unit) for unit in UNITS), key=len, reverse=True))
MEASURE = re.compile(
    rf"(?P<bound>\b(?:below|under|less\sthan|fewer\sthan|younger\sthan|up\sto|at\smost|(?:no|not)\s(?:\w+\s)?(?:more|longer)\sthan|maximum\s(?:dose\s)?of|within|limit\w*\sto"
    rf"|above|over|more\sthan|greater\sthan|older\sthan|longer\sthan|at\sleast|(?:no|not)\sless\sthan|minimum\sof|exceeding)\s|[<>≤≥]\s?)?"
    rf"(?<![\w.])(?P<low>{_NUMBER})(?:(?:\s?(?P<unit0>{_UNIT}))?\s?(?:-|–|—|to|and|or)\s?(?P<high>{_NUMBER}))?"
    rf"(?:/(?P<slash>\d+))?(?:\s|-)?(?P<unit>mg\sper\skg|(?:{_UNIT})(?![\w/])|[a-z]+)?"
    rf"(?P<after>\s?(?:or\s(?:more|higher|above|older|longer)|and\s(?:older|above|over)|upwards|or\s(?:less|lower|below|younger)|and\syounger))?",
    re.IGNORECASE,
)
UPPER = re.compile(
    r"below|under|less|fewer|younger|up\sto|most|no\s(?:more|longer)|not\s|maximum|within|limit|<|≤|lower",
    re.IGNORECASE,
)
LOWER = re.compile(r"no\sless|not\sless|at\sleast|minimum|≥", re.IGNORECASE)
OTHER_THAN = re.compile(r"(?:below|under|above|over|exceeding|\w+\sthan)\b", re.IGNORECASE)
TURNED = re.compile(r"\b(?:no|not|never|nobody|none|cannot|\w+n['’]t)\b[^.;:,]{0,30}$", re.IGNORECASE)
NAMED = re.compile(
    r"(?:\b(type|stage|grade|phase|omega|class|group|step|factor)[\s-]|(\w+)-)$", re.IGNORECASE
)
TOLERANCE = 0.02  # rounding
CALENDAR = 0.1  # three months are about twelve weeks


@dataclass(frozen=True, slots=True)
class Measure:
    """A number or a range in the base unit of its dimension; an open end is infinite."""

    dimension: str
    low: float
    high: float
    start: int
    end: int
    unit: str = ""

    @property
    def bounds(self) -> tuple[float, ...]:
        """Return the finite ends."""
        return tuple(value for value in dict.fromkeys((self.low, self.high)) if math.isfinite(value))


@lru_cache(maxsize=65536)
def measures(text: str) -> tuple[Measure, ...]:
    """Find the measures of a text; a bare number takes the word after it as its dimension."""
    found = []
    normal = text.replace("μ", "µ")
    for match in MEASURE.finditer(normal):
        unit = (match.group("unit") or "").lower().replace("mg per kg", "mg/kg")
        spelled = not match.group("low")[0].isdigit()
        if unit not in UNITS:
            before = re.search(
                r"\b(age|aged|ages|hba1c|weeks?)\s(?:of\s|at\s)?(?:between\s)?$",
                normal[: match.start("low")],
                re.I,
            )
            if before is not None:
                unit = "weeks" if before.group(1).lower().startswith("week") else "years"
            elif spelled:
                continue
        name = NAMED.search(normal[: match.start()])
        if name is not None and unit not in UNITS:
            unit = f"{name.group(1) or name.group(2)} name".lower()
        dimension, factor = UNITS.get(unit, (f"count of {unit.rstrip('s')}", 1.0))
        low = number(match.group("low")) * factor
        high = number(match.group("high")) * factor if match.group("high") else low
        if match.group("high") and match.group("unit0") and match.group("unit0").lower() in UNITS:
            low = number(match.group("low")) * UNITS[match.group("unit0").lower()][1]
        low, high = min(low, high), max(low, high)
        words = f"{match.group('bound') or ''} {match.group('after') or ''}".strip()
        if words and low == high:
            upper = UPPER.search(words) is not None and LOWER.search(words) is None
            if OTHER_THAN.match(words) and TURNED.search(normal[: match.start()]):
                upper = not upper  # "no adult should take more than 4 g"
            if upper:
                low = -math.inf
            else:
                high = math.inf
        end = (
            match.end("after")
            if match.group("after")
            else match.end("unit")
            if unit in UNITS
            else match.end("low")
        )
        found.append(Measure(dimension, low, high, match.start(), max(end, match.end("low")), unit))
    return tuple(found)


def number(text: str) -> float:
    """Read a number in digits or in words."""
    lower = text.lower()
    return NUMBER_WORDS[lower] if lower in NUMBER_WORDS else float(lower.replace(",", ""))


def compatible(left: Measure, right: Measure) -> bool:
    """Tell whether two measures of one dimension can both hold: equal, contained, or overlapping by much."""
    slack = (
        CALENDAR
        if left.dimension == "time" and left.unit.rstrip("s") != right.unit.rstrip("s")
        else TOLERANCE
    )
    open_left, open_right = (
        math.isinf(left.low) or math.isinf(left.high),
        math.isinf(right.low) or math.isinf(right.high),
    )
    if open_left and open_right:
        return math.isinf(left.low) == math.isinf(right.low) and near(left.bounds[0], right.bounds[0], slack)
    if open_left or open_right:
        opened, closed = (left, right) if open_left else (right, left)
        if any(near(value, opened.bounds[0], slack) for value in closed.bounds):
            return True
        return opened.low <= closed.low and closed.high <= opened.high
    if near(left.low, right.low, slack) and near(left.high, right.high, slack):
        return True
    shared = min(left.high, right.high) - max(left.low, right.low)
    inside = min(left.high - left.low, right.high - right.low)
    if inside == 0:
        return shared >= -slack * max(abs(left.high), abs(right.high))
    return shared >= 0.5 * inside


def near(left: float, right: float, tolerance: float = TOLERANCE) -> bool:
    """Tell whether two numbers are the same but for rounding."""
    return abs(left - right) <= tolerance * max(abs(left), abs(right))
