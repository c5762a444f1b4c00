"""Annotations of a gate's record: GitHub's workflow commands, which mark lines of files in a pull request."""

from medassay.models.gate.record import AnswerResult, Finding, GateRecord

MOST = 10
"""GitHub shows no more of a step."""


def annotations(record: GateRecord, most: int = MOST) -> list[str]:
    """Return at most so many workflow commands, errors first; those with a line go before those without."""
    found: list[tuple[str, str, bool]] = [
        (one.level, _of_finding(answer, one), one.line is None)
        for answer in record.answers
        for one in answer.findings
    ]
    levels = {"failed": "error", "insufficient_evidence": "error", "warned": "warn"}
    found += [
        (levels[check.outcome], _command(levels[check.outcome], {"title": check.name}, check.message), True)
        for check in record.checks
        if check.outcome in levels
    ]
    ordered = sorted(found, key=lambda one: (one[0], one[2]))
    return [command for _, command, _ in ordered[:most]]


def _of_finding(answer: AnswerResult, one: Finding) -> str:
    place: dict[str, object] = {}
    if answer.file and one.line:
        place = {"file": answer.file, "line": one.line, "endLine": one.end_line}
        # Columns are of one line only.
        if one.end_line == one.line:
            place |= {"col": one.column, "endColumn": one.end_column}
    title = f"{one.rule}: {answer.question_id}, {answer.system}"
    return _command(one.level, {**place, "title": title}, one.message)


def _command(level: str, properties: dict[str, object], message: str) -> str:
    named = ",".join(
        f"{name}={_property(str(value))}" for name, value in properties.items() if value is not None
    )
    return f"::{'error' if level == 'error' else 'warning'} {named}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
