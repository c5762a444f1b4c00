"""A run against its baseline: no primary metric may be worse by more than a margin, no answer may be gone."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from medassay.metrics import BY_NAME
from medassay.models.counting import counted
from medassay.models.gate.baseline import Baseline, BaselineAnswer, kept_value
from medassay.models.gate.config import BaselineConfig
from medassay.models.gate.measured import MeasuredAnswer
from medassay.models.gate.record import Check, Outcome
from medassay.models.statistics.noninferiority import Held, Paired, hold_against_margins

SHOWN_NAMES = 5
Before = dict[tuple[str, str], BaselineAnswer]


@dataclass(frozen=True, slots=True)
class _Column:
    """One metric of one system in both runs: differences by unit, and how many questions they leave out."""

    system: str
    metric: str
    by_unit: dict[str, list[float]]
    n_dropped: int
    n_before: int
    is_unchanged: bool

    @property
    def n_questions(self) -> int:
        return sum(len(some) for some in self.by_unit.values())

    @property
    def paired(self) -> Paired:
        about = BY_NAME[self.metric]
        means = [sum(some) / len(some) for _, some in sorted(self.by_unit.items())]
        return Paired(np.array(means), 0.0, -1.0 if about.lower_is_better else 1.0, about.high)


def check_answers_kept(baseline: Baseline, answers: Sequence[MeasuredAnswer]) -> list[Check]:
    """Refuse a run in which an answer of the baseline is gone: without it the means may look better than they are."""
    systems = {answer.system for answer in answers}
    here = {
        (answer.question_id, answer.system)
        for answer in answers
        if answer.state not in ("not_answered", "failed")
    }
    gone = [
        f"{one.question_id}, {one.system}"
        for one in baseline.answers
        if one.system in systems and one.answer is not None and (one.question_id, one.system) not in here
    ]
    more = f" and {len(gone) - SHOWN_NAMES} more" if len(gone) > SHOWN_NAMES else ""
    return [
        Check(
            kind="questions",
            name="every answer of the baseline is there",
            outcome="failed" if gone else "passed",
            message=f"{counted(len(gone), 'answer')} of the baseline are not in this run: "
            f"{'; '.join(gone[:SHOWN_NAMES])}{more}"
            if gone
            else "every answer of the baseline is there",
        )
    ]


def check_levels(
    config: BaselineConfig, metrics: Sequence[str], baseline: Baseline, answers: Sequence[MeasuredAnswer]
) -> list[Check]:
    """Test each metric of each system for non-inferiority; metrics × systems are the family, whatever was scored."""
    before = baseline.by_answer()
    systems = sorted({answer.system for answer in answers} & {one.system for one in baseline.answers})
    family = max(1, len(metrics) * len(systems))
    columns = [_column(metric, system, before, answers) for system in systems for metric in metrics]
    tested = [column for column in columns if column.by_unit and not column.is_unchanged]
    held = hold_against_margins(
        [
            Paired(one.differences, margin_of(config, column.metric), one.better, one.most)
            for column in tested
            for one in [column.paired]
        ],
        family,
        "question"
        if all(len(some) == 1 for column in tested for some in column.by_unit.values())
        else "case",
    )
    verdicts = dict(zip(map(id, tested), held, strict=True))
    return [_check(config, column, verdicts.get(id(column)), family) for column in columns]


def margin_of(config: BaselineConfig, metric: str) -> float:
    """Return the margin in the metric's own unit."""
    return config.margin_of(metric) * BY_NAME[metric].high


def _column(metric: str, system: str, before: Before, answers: Sequence[MeasuredAnswer]) -> _Column:
    by_unit: dict[str, list[float]] = {}
    n_before, same = 0, True
    own = {answer.question_id: answer for answer in answers if answer.system == system}
    for (question_id, whose), old in before.items():
        was = old.scores.get(metric) if whose == system else None
        if was is None:
            continue
        n_before += 1
        now = own.get(question_id)
        value = kept_value(now, metric) if now else None
        if now is None or value is None:
            same = False
            continue
        by_unit.setdefault(now.unit, []).append(value - was)
        same = same and now.answer_key == old.answer and value == was
    n_paired = sum(len(some) for some in by_unit.values())
    n_now = sum(kept_value(answer, metric) is not None for answer in own.values())
    return _Column(system, metric, by_unit, n_before + n_now - 2 * n_paired, n_before, same and n_before > 0)


def _check(config: BaselineConfig, column: _Column, held: Held | None, family: int) -> Check:
    margin = margin_of(config, column.metric)
    whose = f"{column.metric} of {column.system}"
    left_out = f", {counted(column.n_dropped, 'question')} not scored in both" if column.n_dropped else ""
    outcome: Outcome
    if held is None:
        if column.is_unchanged:
            outcome, said = "passed", f"{whose}: answers and scores are those of the baseline"
        elif column.n_before:
            outcome, said = (
                "insufficient_evidence",
                f"{whose} has no value any more where the baseline has one",
            )
        else:
            outcome, said = "not_applicable", f"{whose}: the baseline has no value"
        difference = 0.0 if column.is_unchanged else None
    else:
        outcomes: dict[str, Outcome] = {"not_inferior": "passed", "inferior": "failed"}
        outcome = outcomes.get(held.verdict, "insufficient_evidence")
        difference = held.difference
        rests_on = f"{_interval(held)}{counted(column.n_questions, 'question')}{left_out}"
        said = f"{_changed(whose, held)} since the baseline ({rests_on}); {_verdict(held, margin)}"
    if outcome == "insufficient_evidence" and config.insufficient == "warn":
        outcome = "warned"
    return Check(
        kind="baseline",
        name=f"{whose} not worse than the baseline by {margin:g}",
        outcome=outcome,
        message=said,
        metric=column.metric,
        system=column.system,
        value=difference,
        low=held.low if held else difference,
        high=held.high if held else difference,
        bound=margin,
        n=column.n_questions,
        p_adjusted=held.p_adjusted if held else None,
        family_size=family,
        questions_needed=_needed(held) if held else None,
    )


def _changed(whose: str, held: Held) -> str:
    if not held.difference:
        return f"{whose} has not changed in the mean"
    return f"{whose} {'rose' if held.difference > 0 else 'fell'} by {abs(held.difference):.3f}"


def _interval(held: Held) -> str:
    return "" if held.low is None or held.high is None else f"{held.low:+.3f} to {held.high:+.3f}, "


def _needed(held: Held) -> int | None:
    """Return how many questions would settle it: more than there are, since these do not."""
    return None if held.questions_needed is None else max(held.questions_needed, held.n + 1)


def _verdict(held: Held, margin: float) -> str:
    if held.verdict == "not_inferior":
        return f"not worse by {margin:g} (p {held.p_adjusted:.3f})"
    if held.verdict == "inferior":
        return f"worse by more than {margin:g} (p {held.p_adjusted:.3f})"
    needed = _needed(held)
    if needed is None:
        return f"too close to the margin of {margin:g} to tell, however many questions there are"
    settling = f"about {counted(needed, 'question')} would settle it"
    return f"too little data to tell whether by more than {margin:g}; {settling}"
