"""Verdict of a gate: rules of single answers, bounds, baseline and completeness, brought together in one record."""

from collections.abc import Sequence
from dataclasses import dataclass

from medassay.models.counting import counted
from medassay.models.gate.against_baseline import check_answers_kept, check_levels
from medassay.models.gate.baseline import Baseline, BaselineAnswer, differences, digest_of, other_baseline
from medassay.models.gate.bounds import check_bounds, refuse_unknown
from medassay.models.gate.config import GateConfig
from medassay.models.gate.measured import Mean, MeasuredAnswer, MeasuredRun
from medassay.models.gate.places import Places
from medassay.models.gate.record import (
    AnswerOutcome,
    AnswerResult,
    BaselineNamed,
    Check,
    Finding,
    GateRecord,
    Outcome,
    Verdict,
)
from medassay.models.gate.rules import RULES
from medassay.models.usage import UsageError


@dataclass(frozen=True, slots=True)
class Against:
    """A baseline, the file that it was read from, and whether one of other options or models may be used."""

    baseline: Baseline
    file: str
    allow_other: bool = False


def gated_systems(config: GateConfig, run: MeasuredRun) -> tuple[str, ...]:
    """Return the systems that the gate looks at.

    Raises:
        UsageError: where one is named that the run has not.
    """
    refuse_unknown("gate.systems", config.systems or (), run.systems)
    return config.systems or run.systems


def decide(
    config: GateConfig,
    named: str,
    run: MeasuredRun,
    means: Sequence[Mean],
    against: Against | None,
    places: Places,
    failed: str | None = None,
) -> GateRecord:
    """Hold a run against its gate.

    Args:
        config: what it has to keep to.
        named: where that was read.
        run: what was measured.
        means: of every metric that is bounded.
        against: the baseline, if there is one.
        places: finds claims in the files that the answers were read from.
        failed: why the run itself ended red, such as too many failed items.

    Raises:
        UsageError: where the configuration does not fit the run, or the baseline is of other options or models.
    """
    systems = gated_systems(config, run)
    answers = [answer for answer in run.answers if answer.system in systems]
    differs = differences(against.baseline, run) if against else []
    if against and differs and not against.allow_other:
        raise other_baseline(against.file, differs)
    if not against and config.needs_baseline:
        raise UsageError(
            f"{named}: the rule {config.needs_baseline[0]} needs a baseline: name one with --baseline FILE, or"
            " write one with --write-baseline"
        )
    if config.checks_nothing and not against:
        raise UsageError(
            f"{named}: nothing is checked: name rules in gate.fail_on, bounds in gate.bounds or a baseline"
        )
    before = against.baseline.by_answer() if against else {}
    judging = _Judging(config, run, against is not None, places)
    results = [judging.result(answer, before.get((answer.question_id, answer.system))) for answer in answers]
    checks = (
        [Check(kind="run", name="the run is complete", outcome="failed", message=failed)] if failed else []
    )
    checks += check_questions(config, answers)
    checks += check_unjudged(config, results)
    checks += check_bounds(config, [mean for mean in means if mean.system in systems])
    if against:
        checks += check_answers_kept(against.baseline, answers)
        checks += check_levels(
            config.baseline, config.baseline.metrics or run.primary, against.baseline, answers
        )
    return GateRecord(
        verdict=_verdict(checks, results),
        run_id=run.run_id,
        dataset=run.dataset,
        medassay=run.version,
        config=places.shown(named),
        baseline=BaselineNamed(
            file=against.file,
            run_id=against.baseline.run_id,
            digest=against.baseline.digest,
            differences=differs,
        )
        if against
        else None,
        made_with=digest_of(run.made_with),
        checks=checks,
        answers=results,
        notes=_notes(config, against, differs),
    )


@dataclass(frozen=True, slots=True)
class _Judging:
    """What all answers are held against."""

    config: GateConfig
    run: MeasuredRun
    has_baseline: bool
    places: Places

    def result(self, answer: MeasuredAnswer, before: BaselineAnswer | None) -> AnswerResult:
        findings = [
            Finding(
                rule=name,
                level="error" if name in self.config.fail_on else "warn",
                message=fault.message,
                claim=fault.claim.claim if fault.claim else None,
                evidence=fault.evidence,
                **self.places.of(answer, fault.claim),
            )
            for name in self.config.rules
            if self.has_baseline or not RULES[name].needs_baseline
            for fault in RULES[name].find(answer, before)
        ]
        looked_at = [
            (name, answer.scores[name]) for name in self.looked_at(answer.system) if name in answer.scores
        ]
        unjudged = [f"{name}: {score.reason}" for name, score in looked_at if score.is_unjudged]
        absent = [f"{name}: {score.reason}" for name, score in looked_at if score.value is None]
        file = self.places.shown(answer.file)
        return AnswerResult(
            question_id=answer.question_id,
            system=answer.system,
            category=answer.category,
            file=file,
            line=answer.line if file else None,
            outcome=_outcome(findings, bool(unjudged), bool(absent) and len(absent) == len(looked_at)),
            reason="; ".join(unjudged or absent) or None,
            scores={name: score.value for name, score in answer.scores.items() if score.value is not None},
            nulls={
                name: score.reason or score.status
                for name, score in answer.scores.items()
                if score.value is None
            },
            findings=findings,
        )

    def looked_at(self, system: str) -> list[str]:
        """Return the metrics that a rule, a bound or the baseline looks at in this system's answers."""
        of_rules = [RULES[name].needs for name in self.config.rules]
        of_bounds = [
            metric
            for metric, bounds in self.config.bounds.items()
            if any(bound.systems is None or system in bound.systems for bound in bounds)
        ]
        of_baseline = (self.config.baseline.metrics or self.run.primary) if self.has_baseline else ()
        return list(dict.fromkeys([*of_rules, *of_bounds, *of_baseline]))


def _outcome(findings: Sequence[Finding], is_unjudged: bool, has_no_value: bool) -> AnswerOutcome:
    levels = {finding.level for finding in findings}
    if "error" in levels:
        return "failed"
    if is_unjudged:
        return "unjudged"
    if levels:
        return "warned"
    return "skipped" if has_no_value else "passed"


def check_questions(config: GateConfig, answers: Sequence[MeasuredAnswer]) -> list[Check]:
    """Ask for the questions that have to be there, with an answer of every system."""
    silent = ("not_answered", "failed")
    by_question: dict[str, list[MeasuredAnswer]] = {}
    for answer in answers:
        by_question.setdefault(answer.question_id, []).append(answer)
    found = []
    for question_id in config.questions:
        own = by_question.get(question_id)
        without = sorted(answer.system for answer in own or () if answer.state in silent)
        said = f"question {question_id} is there"
        if own is None:
            said = f"question {question_id} is not in the data"
        elif without:
            said = f"question {question_id} has no answer of {', '.join(without)}"
        outcome: Outcome = "passed" if own and not without else "failed"
        found.append(Check(kind="questions", name=f"question {question_id}", outcome=outcome, message=said))
    return found


def check_unjudged(config: GateConfig, results: Sequence[AnswerResult]) -> list[Check]:
    """Return which systems have too many answers that could not be judged, or only such without anything to judge."""
    found = []
    for system in sorted({result.system for result in results}):
        own = [result for result in results if result.system == system]
        unjudged = [result for result in own if result.outcome == "unjudged"]
        if all(result.outcome == "skipped" for result in own):
            first = f"first {own[0].question_id}: {own[0].reason}"
            said = f"no answer of {system} has anything that the gate looks at, {first}"
            found.append(
                Check(
                    kind="unjudged",
                    name=f"answers of {system}",
                    outcome="insufficient_evidence",
                    message=said,
                )
            )
        if not unjudged:
            continue
        over = len(unjudged) / len(own) > config.max_unjudged
        found.append(
            Check(
                kind="unjudged",
                name=f"answers of {system} that could not be judged",
                outcome="insufficient_evidence" if over else "warned",
                message=f"{len(unjudged)} of {counted(len(own), 'answer')} of {system} could not be judged, first"
                f" {unjudged[0].question_id}: {unjudged[0].reason}",
                system=system,
                value=len(unjudged) / len(own),
                bound=config.max_unjudged,
                n=len(own),
            )
        )
    return found


def _verdict(checks: Sequence[Check], results: Sequence[AnswerResult]) -> Verdict:
    outcomes = {check.outcome for check in checks} | {result.outcome for result in results}
    if "failed" in outcomes:
        return "failed"
    return "insufficient_evidence" if "insufficient_evidence" in outcomes else "passed"


def _notes(config: GateConfig, against: Against | None, differs: Sequence[str]) -> list[str]:
    found = []
    if differs:
        found.append(f"the baseline was made with other options or models: {'; '.join(differs)}")
    if against is None:
        left_out = [name for name in config.fail_on if RULES[name].needs_baseline]
        found.append(f"no baseline: not compared{', and no rule ' * bool(left_out)}{', '.join(left_out)}")
    return found
