"""Judges in the report: licences, repeats, panel, position bias, drift."""

from dataclasses import dataclass

from medassay.models.report.rows import ReportData, Row, count_of, grouped, number_of, text_of

_LOUD_P = 0.05

FIGURES = (
    "mean_score",
    "repeat_spread",
    "correlation_with_others",
    "rank_correlation_without",
    "largest_shift_without",
)


@dataclass(frozen=True, slots=True)
class JudgeLine:
    """One judge: how many answers it marked, its licence in words, and what `judge_stability` says of it."""

    judge: str
    marked: str
    licence: str
    licensed: bool | None
    figures: tuple[float | None, ...]
    """Mean rubric score, spread of repeats, correlation with the others, ranking and largest shift without it."""


@dataclass(frozen=True, slots=True)
class Duels:
    """How often the listwise judge put one system before another."""

    a: str
    b: str
    wins: int
    ties: int
    losses: int
    n_questions: int


@dataclass(frozen=True, slots=True)
class Standing:
    """All the judges of a run; `lead` says how their marks become one, or that none gave any.

    Of the listwise judge, `places` says which places it likes, `duels` whom it prefers, and `compares_unlicensed`
    whether it lacks a licence for that.
    """

    lines: tuple[JudgeLine, ...]
    lead: str
    places: tuple[str, ...]
    duels: tuple[Duels, ...]
    compares_unlicensed: bool
    is_panel: bool
    has_repeats: bool


def standing(data: ReportData) -> Standing | None:
    """Return what is known of the judges, None where nobody judged; a judge that only compares has no line."""
    rows = data.judge_stability
    places, duels = tuple(_places(data)), tuple(_duels(data))
    if not rows and not places and not duels:
        return None
    licences = grouped(data.judge_licences, "judge")
    return Standing(
        tuple(_line(row, licences.get((text_of(row.get("judge")),), [])) for row in rows),
        _lead(rows[0]) if rows else "It compared answers side by side, and gave no marks.",
        places,
        duels,
        any(text_of(row.get("judge_note")) for row in (*_of_the_listwise_judge(data), *data.ranking_places)),
        any(number_of(row.get("n_judges")) != 1 for row in rows[:1]),
        any(number_of(row.get("n_samples")) != 1 for row in rows[:1]),
    )


def _line(row: Row, licences: list[Row]) -> JudgeLine:
    licensed = all(bool(own.get("licensed")) for own in licences) if licences else None
    return JudgeLine(
        text_of(row.get("judge")),
        f"{row.get('n_scored')} of {row.get('n_answers')}",
        _in_words(licences),
        licensed,
        tuple(number_of(row.get(name)) for name in FIGURES),
    )


def _in_words(licences: list[Row]) -> str:
    """Return how many plain errors of the gold pairs were seen in each sub-metric."""
    if not licences:
        return "not examined"
    return ", ".join(
        f"{text_of(own.get('sub_metric')).replace('_', ' ')} {own.get('n_ordered_right')} of {own.get('n_pairs')}"
        for own in licences
    )


def _lead(row: Row) -> str:
    said = text_of(row.get("aggregation"))
    found = f"{said[:1].upper()}{said[1:]}."
    effective = number_of(row.get("effective_judges"))
    if effective is not None:
        found += f" They agree so far that they are worth {effective:.1f} independent ones."
    elif row.get("reason"):
        found += f" How far they agree is not known: {text_of(row['reason'])}."
    return found


def _duels(data: ReportData) -> list[Duels]:
    counts = ("wins", "ties", "losses", "n_questions")
    return [
        Duels(
            text_of(row.get("system_a")),
            text_of(row.get("system_b")),
            *(count_of(row.get(n)) for n in counts),
        )
        for row in _of_the_listwise_judge(data)
    ]


def _of_the_listwise_judge(data: ReportData) -> list[Row]:
    return [row for row in data.preference_counts if row.get("preferred_by") == "listwise"]


def _places(data: ReportData) -> list[str]:
    """Say, for each number of answers, how far the place alone moved the listwise judge's points."""
    found = []
    for (judge, n_answers), rows in grouped(data.ranking_places, "judge", "n_answers").items():
        if reason := text_of(rows[0].get("reason")):
            found.append(
                f"Side by side, {n_answers} answers at a time, nothing can be said of the places that {judge} likes: "
                f"{reason}."
            )
            continue
        residuals = [number_of(row.get("mean_residual")) or 0.0 for row in rows]
        p_value, differing = number_of(rows[0].get("p_value")), number_of(rows[0].get("order_disagreement"))
        said = ", ".join(f"{round(residual, 2) + 0:+.2f}" for residual in residuals)
        words = (
            f"Side by side, {n_answers} answers at a time, {judge} moved an answer's points by {said} "
            f"at places 1 to {n_answers}"
        )
        if p_value is not None:
            words += f" ({'more than' if p_value < _LOUD_P else 'no more than'} chance explains: p = {p_value:.3f})"
        if differing is not None:
            words += f"; {differing:.0%} of comparisons changed with the order"
        found.append(f"{words}.")
    return found


@dataclass(frozen=True, slots=True)
class DriftLine:
    """One judge's marks on one sub-metric, points of 100; `difference` is now less then."""

    judge: str
    sub_metric: str
    before: float | None
    now: float | None
    difference: float | None
    interval: str
    n_answers: int
    verdict: str


@dataclass(frozen=True, slots=True)
class Drift:
    """What was marked again, and how far the marks moved; `lead` names the run and the models that answered."""

    lead: str
    lines: tuple[DriftLine, ...]


def drift(data: ReportData) -> Drift | None:
    """Return how far the judges drifted, None where no anchor was marked again."""
    if not data.judge_drift:
        return None
    return Drift(_drift_lead(data.judge_drift[0]), tuple(_drift_line(row) for row in data.judge_drift))


def drift_warnings(data: ReportData) -> list[str]:
    """Describe for each judge that drifted on what, and what that does to comparisons with runs before."""
    found = []
    moved = [row for row in data.judge_drift if row.get("drifted")]
    for judge in sorted({text_of(row.get("judge")) for row in moved}):
        of = [row for row in moved if text_of(row.get("judge")) == judge]
        words = ", ".join(f"{_sub_metric(row)} {_signed(number_of(row.get('difference')))}" for row in of)
        found.append(
            f"The judge has drifted: on {count_of(of[0].get('n_answers'))} frozen answers of run"
            f" {text_of(of[0].get('anchor_run_id'))}, {judge} now gives other marks than then ({words}; points of 100)."
            " Rubric scores of runs before are not to be held against this run's."
        )
    return found


def _drift_lead(row: Row) -> str:
    before, now = text_of(row.get("model_before")), text_of(row.get("model_now"))
    models = f" {before} answered then, {now} answers now." if before and now and before != now else ""
    return f"Answers of the frozen run {text_of(row.get('anchor_run_id'))}, marked again with the same words.{models}"


def _drift_line(row: Row) -> DriftLine:
    low, high = number_of(row.get("low")), number_of(row.get("high"))
    return DriftLine(
        text_of(row.get("judge")),
        _sub_metric(row),
        number_of(row.get("before")),
        number_of(row.get("now")),
        number_of(row.get("difference")),
        "" if low is None or high is None else f"{_signed(low)} to {_signed(high)}",
        count_of(row.get("n_answers")),
        "drifted" if row.get("drifted") else "holds" if low is not None else text_of(row.get("reason")),
    )


def _sub_metric(row: Row) -> str:
    return text_of(row.get("sub_metric")).removesuffix("_raw").replace("_", " ")


def _signed(value: float | None) -> str:
    return "–" if value is None else f"{round(value, 1) + 0.0:+.1f}".replace("-", "−")
