"""Terminal output of a gate: a line a finding, as compilers write them, and the verdict."""

from collections.abc import Iterator, Sequence

import click

from medassay.flows.terminal.console import visible
from medassay.models.counting import counted
from medassay.models.gate.record import AnswerResult, Check, Finding, GateRecord

_OUTCOMES = ("failed", "insufficient_evidence", "unjudged", "warned", "skipped", "not_applicable", "passed")
_LEVELS = {"failed": "error", "warned": "warning", "insufficient_evidence": "insufficient evidence"}


def print_gate(record: GateRecord) -> None:
    """Print what breaks a rule or bound, what is only told, what was left out, and the verdict."""
    for line in gate_lines(record):
        click.echo(visible(line))


def gate_lines(record: GateRecord) -> Iterator[str]:
    """Yield the lines, errors after warnings, so that what matters stands nearest to the verdict."""
    yield from record.notes
    found = [(answer, one) for answer in record.answers for one in answer.findings]
    for level in ("warn", "error"):
        yield from (_of_finding(answer, one) for answer, one in found if one.level == level)
        outcomes = ("warned",) if level == "warn" else ("insufficient_evidence", "failed")
        yield from (_of_check(check) for check in record.checks if check.outcome in outcomes)
    yield (
        f"gate: {record.verdict.replace('_', ' ')} ({_tallied('answer', [one.outcome for one in record.answers])};"
        f" {_tallied('check', [one.outcome for one in record.checks])})"
    )


def _tallied(noun: str, outcomes: Sequence[str]) -> str:
    found = [f"{outcomes.count(name)} {name.replace('_', ' ')}" for name in _OUTCOMES if name in outcomes]
    return f"{counted(len(outcomes), noun)}{': ' if found else ''}{', '.join(found)}"


def _of_finding(answer: AnswerResult, one: Finding) -> str:
    place = ""
    if answer.file and one.line:
        place = f"{answer.file}:{one.line}:{f'{one.column}:' if one.column else ''} "
    level = "error" if one.level == "error" else "warning"
    return f"{place}{level}: {one.rule}: {answer.question_id}, {answer.system}: {one.message}"


def _of_check(check: Check) -> str:
    return f"{_LEVELS[check.outcome]}: {check.kind}: {check.message}"
