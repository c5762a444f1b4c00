"""Markdown of a gate's record, for the summary of a CI step."""

import re
from collections.abc import Iterator

from medassay.models.counting import counted
from medassay.models.gate.record import GateRecord, place_of

MOST_BYTES = 1_000_000
"""GitHub takes 1 MiB a step, and shows nothing of a larger summary."""
LONGEST_TEXT = 400
_VERDICTS = {"passed": "passed", "failed": "failed", "insufficient_evidence": "insufficient evidence"}
_SIGNS = {"passed": "✅", "failed": "❌", "warned": "⚠️", "insufficient_evidence": "❔", "not_applicable": "–"}


def markdown(record: GateRecord, most_bytes: int = MOST_BYTES) -> str:
    """Return the record as Markdown of at most so many bytes: what is wrong first, then every check."""
    lines: list[str] = []
    size = 0
    # Room for the line that says what is left out.
    for n, line in enumerate(written := list(_lines(record))):
        size += len(line.encode()) + 1
        if size > most_bytes - 200:
            lines += ["", f"… and {counted(len(written) - n, 'line')} more in gate.json"]
            break
        lines.append(line)
    return "\n".join(lines) + "\n"


def _lines(record: GateRecord) -> Iterator[str]:
    outcomes = [answer.outcome for answer in record.answers]
    counts = ", ".join(f"{outcomes.count(name)} {name}" for name in dict.fromkeys(sorted(outcomes)))
    yield f"## {_SIGNS[record.verdict]} MedAssay gate: {_VERDICTS[record.verdict]}"
    yield ""
    yield f"{as_cell(record.dataset)}, run `{record.run_id}`: {counted(len(outcomes), 'answer')} ({counts})."
    if record.baseline:
        yield f"Baseline: {as_cell(record.baseline.file)}, run `{record.baseline.run_id}`."
    yield from (f"- {as_cell(note)}" for note in record.notes)
    found = [(answer, one) for answer in record.answers for one in answer.findings]
    if found:
        yield from (
            "",
            "### Answers",
            "",
            "| | question | system | rule | what | where |",
            "|---|---|---|---|---|---|",
        )
    for answer, one in sorted(found, key=lambda pair: pair[1].level):
        sign = _SIGNS["failed" if one.level == "error" else "warned"]
        place = place_of(answer, one).strip(" ()")
        cells = (answer.question_id, answer.system, one.rule, one.message, place)
        yield f"| {sign} | {' | '.join(map(as_cell, cells))} |"
    unjudged = [answer for answer in record.answers if answer.outcome in ("unjudged", "skipped")]
    if unjudged:
        yield from ("", "### Not judged", "", "| question | system | why |", "|---|---|---|")
    for answer in unjudged:
        yield f"| {as_cell(answer.question_id)} | {as_cell(answer.system)} | {as_cell(answer.reason or '')} |"
    if record.checks:
        yield from ("", "### Checks", "", "| | check | what was found |", "|---|---|---|")
    for check in sorted(record.checks, key=lambda check: check.outcome in ("passed", "not_applicable")):
        yield f"| {_SIGNS[check.outcome]} | {as_cell(check.name)} | {as_cell(check.message)} |"


def as_cell(text: str) -> str:
    """Show others' words as they are, in one cell: neither markup nor links, mentions or images come of them."""
    text = re.sub(r"\s+", " ", text)
    text = text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT] + "…"
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace("@", "&#64;")
    return re.sub(r"([\\`*_\[\]|~#!])", r"\\\1", text)
