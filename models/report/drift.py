"""Whether the judge still gives the marks that it gave before: a frozen run's answers, marked again by this one."""

from dataclasses import dataclass

from medassay.models.report.rows import ReportData, Row, count_of, number_of, text_of


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
    return Drift(_lead(data.judge_drift[0]), tuple(_line(row) for row in data.judge_drift))


def drift_warnings(data: ReportData) -> list[str]:
    """Say of each judge that drifted on what, and what that does to comparisons with runs before."""
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


def _lead(row: Row) -> str:
    before, now = text_of(row.get("model_before")), text_of(row.get("model_now"))
    models = f" {before} answered then, {now} answers now." if before and now and before != now else ""
    return f"Answers of the frozen run {text_of(row.get('anchor_run_id'))}, marked again with the same words.{models}"


def _line(row: Row) -> DriftLine:
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
